import type { Assets } from "./parts/layout.tsx";
import { createHandler, type WebOptions } from "./server.tsx";

declare const __ASSETS__: Assets;

/** The handler of the built site: `build.ts` puts the names of its files in. */
export function createSite(options: Omit<WebOptions, "assets">): (request: Request) => Promise<Response> {
  return createHandler({ ...options, assets: __ASSETS__ });
}
