import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Schema } from "./describe.ts";
import { documentFile } from "./document-file.ts";

/** A response object of the document. */
export interface DeclaredResponse {
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, { schema: Schema }>;
}

interface DeclaredOperation {
  operationId: string;
  requestBody: { required: boolean; content: Record<string, { schema: Schema; example: unknown }> };
  /** By status; `default`: the answer of somebody else. */
  responses: Record<string, DeclaredResponse>;
}

interface Document {
  /** Only operations by POST are checked by these means. */
  paths: Record<string, { post?: DeclaredOperation; get?: DeclaredOperation }>;
  components: { schemas: Record<string, Schema>; headers: Record<string, { required?: boolean }> };
}

/** The committed document. */
export const document: Document = JSON.parse(readFileSync(documentFile, "utf8"));

const ajv = new Ajv2020({ strict: false, allErrors: false, verbose: false });
addFormats.default(ajv);
ajv.addSchema(document, "document");
ajv.addSchema(closed(structuredClone(document)) as Document, "closed");

/** Checks bodies against the schema at a way into the document; `closed`: a member that is not declared is an error, too. */
export function validatorAt(
  way: readonly string[],
  which: "document" | "closed" = "document",
): ValidateFunction {
  const pointer = way.map(
    (step) => `/${encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"))}`,
  );
  const reference = `${which}#${pointer.join("")}`;
  const known = validators.get(reference) ?? ajv.compile({ $ref: reference });
  validators.set(reference, known);
  return known;
}

const validators = new Map<string, ValidateFunction>();

/** Lets no object of an answer have a member that its schema does not name: the document leaves them open for later. */
function closed(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const child of Object.values(value)) closed(child);
  const schema = value as Schema;
  if (schema.type === "object" && "properties" in schema && !("additionalProperties" in schema)) {
    schema.additionalProperties = false;
  }
  return value;
}
