import { columnsOf } from "@keyhub/core/hub";
import type { AssetType } from "@keyhub/hub/source";

/** Returns the columns that may be written in the table of a type. A missing text leaves its column unchanged. */
export function columns(type: AssetType, payload: Record<string, unknown>): Record<string, unknown> {
  const { name: _name, ...rest } = columnsOf(type, payload);
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
}
