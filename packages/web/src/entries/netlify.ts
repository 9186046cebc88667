// The entry for a Netlify Edge Function. Netlify itself serves the files of dist/client, and calls this function for all other paths.
import { loadDrawingBy } from "../drawing/drawing.ts";
import { createSite } from "../index.ts";

declare const Netlify: { env: { get(name: string): string | undefined } };

export default (request: Request): Promise<Response> =>
  createSite({
    supabaseUrl: Netlify.env.get("SUPABASE_URL") ?? "",
    publishableKey: Netlify.env.get("SUPABASE_PUBLISHABLE_KEY") ?? "",
    sealKey: Netlify.env.get("KEYHUB_SEAL_KEY") ?? "",
    // An edge function has no files of its own, so it fetches the published ones.
    loadDrawing: () =>
      loadDrawingBy(async (name) => {
        const response = await fetch(new URL(`/pictures/${name}`, request.url));
        if (!response.ok) throw new Error(`${name}: ${response.status}`);
        return new Uint8Array(await response.arrayBuffer());
      }),
    onError: (error, requestId) => console.error(requestId, error),
  })(request);

export const config = {
  path: "/*",
  excludedPath: ["/assets/*", "/pictures/*", "/favicon.svg", "/robots.txt"],
};
