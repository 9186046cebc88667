import * as z from "zod/mini";
import { faultsOf } from "../faults.ts";
import type { Fault } from "../problem.ts";
import { type AssetType, byAssetType, columnsOfType } from "./asset-types.ts";
import type { Payload } from "./assets.ts";

/** The schema of each type's payload: the values that its columns can store. Members without a column are not checked. */
export const SHAPES = byAssetType((type) =>
  z.object(Object.fromEntries(columnsOfType(type).map(({ name, stored }) => [name, stored]))),
);

/** Returns the faults of members that their columns cannot store. `source_format` without `source_text`, or the reverse, is a fault too. */
export function payloadFaults(assetType: AssetType, payload: Readonly<Payload>, path = "payload"): Fault[] {
  const parsed = z.safeParse(SHAPES[assetType], payload);
  if (parsed.success) {
    const isPaired = (payload.source_format == null) === (payload.source_text == null);
    const message = "source_format and source_text are given together";
    return isPaired ? [] : [{ path: `${path}.source_text`, code: "unpaired", message }];
  }
  return faultsOf(parsed.error.issues, payload).map((fault) => ({
    ...fault,
    path: `${path}.${fault.path}`,
    // The only union among the columns (`listOrMap`) accepts an array or an object.
    ...(fault.code === "invalid_union" && { message: "must be an array or an object" }),
  }));
}
