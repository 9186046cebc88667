import type { AssetType, Publication } from "@keyhub/core/hub";
import { type Finding, scanComponent } from "@keyhub/core/scan";
import { yieldToEventLoop } from "../_shared/yield-to-event-loop.ts";

/** A finding, and the path of the source text that contains it. */
export interface Found extends Finding {
  path: string;
}

/** Scans every component of a publication. It runs after redaction, so that no excerpt can show a secret. */
export async function scanComponents(
  assetType: AssetType,
  { payload, items }: Publication,
): Promise<Found[]> {
  const components = [
    ...(assetType === "component" ? [{ path: "payload.source", source: payload.source }] : []),
    ...items.flatMap((item, n) =>
      item.asset_type === "component"
        ? [{ path: `items.${n}.payload.source`, source: item.payload.source }]
        : [],
    ),
  ];
  const found: Found[] = [];
  for (const { path, source } of components) {
    await yieldToEventLoop();
    for (const finding of scanComponent(String(source))) found.push({ ...finding, path });
  }
  return found;
}
