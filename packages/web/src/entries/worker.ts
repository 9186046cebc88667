// The entry for a Cloudflare Worker (`wrangler deploy`). Cloudflare itself serves the files of dist/client as static assets, and calls this
// worker for all other paths.
import type { DrawingParts } from "../drawing/drawing.ts";
import { createSite } from "../index.ts";

interface Environment {
  SUPABASE_URL: string;
  SUPABASE_PUBLISHABLE_KEY: string;
  KEYHUB_SEAL_KEY?: string;
  SITE_URL?: string;
}

/** Cloudflare does not compile code at run time, so an import of the wasm file gives a compiled module. The fonts are imported as bytes. */
const loadDrawing = async (): Promise<DrawingParts> => {
  const [wasm, ...fonts] = await Promise.all([
    import("./resvg.wasm"),
    import("./inter-400.bin"),
    import("./inter-700.bin"),
  ]);
  return { wasm: wasm.default, fonts: fonts.map((font) => new Uint8Array(font.default)) };
};

export default {
  fetch: (request: Request, env: Environment): Promise<Response> =>
    createSite({
      supabaseUrl: env.SUPABASE_URL,
      publishableKey: env.SUPABASE_PUBLISHABLE_KEY,
      sealKey: env.KEYHUB_SEAL_KEY ?? "",
      ...(env.SITE_URL ? { siteUrl: env.SITE_URL } : {}),
      loadDrawing,
      onError: (error, requestId) => console.error(requestId, error),
    })(request),
};
