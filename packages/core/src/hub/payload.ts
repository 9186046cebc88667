import * as z from "zod/mini";
import { faultsOf } from "../faults.ts";
import type { Fault } from "../problem.ts";
import type { AssetType, Payload } from "./assets.ts";

const text = z.nullish(z.string());
const real = z.nullish(z.number());
const integer = z.nullish(z.int().check(z.minimum(-2_147_483_648), z.maximum(2_147_483_647)));
const list = z.nullish(z.array(z.unknown()));
const map = z.nullish(z.record(z.string(), z.unknown()));

/** The types that the columns of a payload can store. Members without a column are not checked. */
export const SHAPES: Record<AssetType, z.ZodMiniType> = {
  template: z.object({
    name: text,
    description: text,
    content: text,
    variables: z.nullish(z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())])),
  }),
  component: z.object({ name: text, description: text, source: text, props_schema: map }),
  orchestration: z.object({ nodes: list, edges: list, stage_configs: list }),
  ai_preset: z.object({
    model_id: text,
    temperature: real,
    topP: real,
    topK: integer,
    maxOutputTokens: integer,
    thinkingLevel: text,
    thinkingBudget: integer,
    generate_content_api: text,
  }),
};

/** The faults of a payload whose members are not of the type of their columns. */
export function payloadFaults(assetType: AssetType, payload: Readonly<Payload>, path = "payload"): Fault[] {
  const parsed = z.safeParse(SHAPES[assetType], payload);
  if (parsed.success) return [];
  return faultsOf(parsed.error.issues, payload).map((fault) => ({
    ...fault,
    path: `${path}.${fault.path}`,
    // Either of two shapes is accepted.
    ...(fault.code === "invalid_union" && { message: "must be an array or an object" }),
  }));
}
