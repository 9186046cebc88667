// The entry for Deno Deploy and `deno serve`. It also serves the files of dist/client. The built file is in dist/server.
import { loadDrawingBy } from "../drawing/drawing.ts";
import { createSite } from "../index.ts";

declare const Deno: {
  env: { get(name: string): string | undefined };
  readFile(path: URL): Promise<Uint8Array<ArrayBuffer>>;
};

const TYPES: Record<string, string> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
};

const site = createSite({
  supabaseUrl: Deno.env.get("SUPABASE_URL") ?? "",
  publishableKey: Deno.env.get("SUPABASE_PUBLISHABLE_KEY") ?? "",
  sealKey: Deno.env.get("KEYHUB_SEAL_KEY") ?? "",
  loadDrawing: () => loadDrawingBy((name) => Deno.readFile(new URL(`./${name}`, import.meta.url))),
  onError: (error, requestId) => console.error(requestId, error),
});

export default {
  fetch: async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    const ending = /^\/(?:(?:assets|pictures)\/)?[\w-]+\.([a-z]+)$/.exec(pathname)?.[1] ?? "";
    const type = TYPES[ending];
    const content =
      type && (await Deno.readFile(new URL(`../client${pathname}`, import.meta.url)).catch(() => null));
    return content ? new Response(content, { headers: { "Content-Type": type } }) : site(request);
  },
};
