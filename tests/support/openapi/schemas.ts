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
  /** The responses by status; `default` is the answer of another server. */
  responses: Record<string, DeclaredResponse>;
}

interface Document {
  /** The paths. Only operations by POST are checked with this file. */
  paths: Record<string, { post?: DeclaredOperation; get?: DeclaredOperation }>;
  components: { schemas: Record<string, Schema>; headers: Record<string, { required?: boolean }> };
}

/** The committed document. */
export const document: Document = JSON.parse(readFileSync(documentFile, "utf8"));

const ajv = new Ajv2020({ strict: false, allErrors: false, verbose: false });
addFormats.default(ajv);
ajv.addSchema(document, "document");
ajv.addSchema(closed(structuredClone(document)) as Document, "closed");

/** Returns a check of bodies against the schema at a path in the document. With `closed`, an undeclared member is an error, too. */
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

/** Forbids members that a schema does not name. The document allows them, because a later version may add members. */
function closed(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const child of Object.values(value)) closed(child);
  const schema = value as Schema;
  if (schema.type === "object" && "properties" in schema && !("additionalProperties" in schema)) {
    schema.additionalProperties = false;
  }
  return value;
}
