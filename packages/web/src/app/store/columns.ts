import { columnsOf } from "@keyhub/core/hub";
import type { AssetType } from "@keyhub/hub/source";

/** Returns a payload as columns of the type's table, without the name. A member that is missing leaves its column unchanged. */
export function columns(type: AssetType, payload: Record<string, unknown>): Record<string, unknown> {
  const { name: _name, ...rest } = columnsOf(type, payload);
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
}
