import type { Assets } from "./parts/layout.tsx";
import type { PreviewScript } from "./preview/page.ts";
import { createHandler, type WebOptions } from "./server.tsx";

declare const __ASSETS__: Assets;
declare const __PREVIEW__: PreviewScript;

/** Returns the handler of the built site; `build.ts` inserts the names of the files that browsers load. */
export function createSite(
  options: Omit<WebOptions, "assets" | "preview">,
): (request: Request) => Promise<Response> {
  return createHandler({ ...options, assets: __ASSETS__, preview: __PREVIEW__ });
}
