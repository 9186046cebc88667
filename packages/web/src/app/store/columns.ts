import { columnsOf } from "@keyhub/core/hub";
import type { AssetType } from "@keyhub/hub/source";

/** The columns that may be written in the table of a type; a missing text is not changed. */
export function columns(type: AssetType, payload: Record<string, unknown>): Record<string, unknown> {
  const { name: _name, ...rest } = columnsOf(type, payload);
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
}
