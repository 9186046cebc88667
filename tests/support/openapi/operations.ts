import { readdirSync } from "node:fs";
import { join } from "node:path";
import type * as z from "zod/mini";
import type { Schema } from "./describe.ts";
import { type Operation, TAGS } from "./operation.ts";

/** The exports of a file in the folder operations/. A file for a new function is found by itself, without a list of files. */
interface OperationsFile {
  operations: readonly Operation[];
  /** The contracts that have a name in the document. */
  schemas?: Record<string, z.ZodMiniType>;
  /** Rules that refer to other schemas, by the name of their schema. */
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

/**
 * The operations that accept JSON by POST. Operations that pass requests on, or that the payment provider calls, are left out, because
 * their requests have no contract here.
 */
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
