import { readdirSync } from "node:fs";
import { join } from "node:path";
import type * as z from "zod/mini";
import type { Schema } from "./describe.ts";
import { type Operation, TAGS } from "./operation.ts";

/** What a file of the folder operations/ exports. A further function adds a file; no list names it. */
interface OperationsFile {
  operations: readonly Operation[];
  /** The contracts that the document has under a name. */
  schemas?: Record<string, z.ZodMiniType>;
  /** By the name of a schema: rules that refer to other schemas. */
  rules?: Record<string, Schema>;
}

const folder = join(import.meta.dirname, "operations");
const names = readdirSync(folder)
  .map((file) => file.replace(/\.ts$/, ""))
  .sort();
const files = (
  await Promise.all(names.map((name): Promise<OperationsFile> => import(`./operations/${name}.ts`)))
).sort((one, other) => orderOf(one) - orderOf(other));

/** Every operation of the document, in the order of the tags. */
export const operations: readonly Operation[] = files.flatMap((file) => file.operations);

/** Those that take JSON by POST. Without those that pass requests on, or take somebody else's: their requests are not ours. */
export const ownOperations = operations.filter(
  ({ passesOn, signed, method }) => !passesOn && !signed && !method,
);

export const schemas = Object.assign({}, ...files.map((file) => file.schemas)) as Record<
  string,
  z.ZodMiniType
>;

export const rules: Record<string, Schema> = Object.assign({}, ...files.map((file) => file.rules));

function orderOf(file: OperationsFile): number {
  return TAGS.findIndex(({ name }) => name === file.operations[0]?.tag);
}
