// The entry for a Cloudflare Worker (`wrangler deploy`). Its static assets are dist/client, which Cloudflare answers before it calls this
// worker.
import type { DrawingParts } from "../drawing/drawing.ts";
import { createSite } from "../index.ts";

interface Environment {
  SUPABASE_URL: string;
  SUPABASE_PUBLISHABLE_KEY: string;
  KEYHUB_SEAL_KEY?: string;
  SITE_URL?: string;
}

/** Cloudflare does not compile code at run time: an import of the wasm file gives a module, and an import of the others gives bytes. */
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
