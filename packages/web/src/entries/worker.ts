// Cloudflare Worker: `wrangler deploy`, with dist/client as its static assets, which Cloudflare answers before it asks here.
import type { DrawingParts } from "../drawing/drawing.ts";
import { createSite } from "../index.ts";

interface Environment {
  SUPABASE_URL: string;
  SUPABASE_PUBLISHABLE_KEY: string;
  KEYHUB_SEAL_KEY?: string;
  SITE_URL?: string;
}

/** This host compiles no code while it runs: it makes a module of the file, and bytes of the others. */
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
