// site/: the pages of packages/web, built when needed, and the files that browsers load for them.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export interface Site {
  /** Answers pages and their files. */
  fetch(request: Request): Promise<Response>;
}

export interface SiteOptions {
  /** Where the built pages are. */
  dist: string;
  /** Of the stack. */
  url: string;
  publishableKey: string;
  /** Public: pages seal API keys with it. */
  sealKey: string;
  /** The stack's REST API: the pages ask it without a connection. */
  api: { fetch(request: Request): Promise<Response> };
  onLog: (line: string) => void;
  reload?: boolean;
}

type CreateSite = (options: {
  supabaseUrl: string;
  publishableKey: string;
  sealKey: string;
  reload: boolean;
  loadDrawing: () => Promise<{ wasm: BufferSource; fonts: Uint8Array[] }>;
  fetch: typeof fetch;
  onError: (error: unknown, requestId: string) => void;
}) => (request: Request) => Promise<Response>;

const TYPES: Record<string, string> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
};

/** Opens the built pages. All of them are read now: they are served also when `npm ci` has deleted the folder since. */
export async function openSite(options: SiteOptions): Promise<Site> {
  const { dist, url, publishableKey, sealKey, api, onLog, reload = false } = options;
  const entry = pathToFileURL(join(dist, "server", "server.js")).href;
  const { createSite } = (await import(entry)) as { createSite: CreateSite };
  const [wasm, ...fonts] = await Promise.all(
    ["resvg.wasm", "inter-400.bin", "inter-700.bin"].map((name) => readFile(join(dist, "server", name))),
  );
  if (wasm === undefined) throw new Error("nothing to draw with");
  const handler = createSite({
    supabaseUrl: url,
    publishableKey,
    sealKey,
    reload,
    loadDrawing: async () => ({ wasm, fonts }),
    fetch: (input, init) => api.fetch(new Request(input, init)),
    onError: (error, requestId) => onLog(`page ${requestId}: ${String(error)}`),
  });
  const files = await readAll(join(dist, "client"));
  return {
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      return file(files, pathname) ?? handler(request);
    },
  };
}

/** The files that browsers load, by their path. */
async function readAll(folder: string): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => typeOf(name) !== undefined);
  const read = names.map(async (name) => [`/${name}`, await readFile(join(folder, name))] as const);
  return new Map(await Promise.all(read));
}

/** Names under assets/ hold a hash of their content, so they never change. */
function file(files: Map<string, Uint8Array<ArrayBuffer>>, path: string): Response | null {
  const type = typeOf(path);
  const content = files.get(path);
  if (type === undefined || content === undefined) return null;
  return new Response(content, {
    headers: {
      "Content-Type": type,
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": path.startsWith("/assets/")
        ? "public, max-age=31536000, immutable"
        : "public, max-age=3600",
    },
  });
}

/** Undefined for what no browser loads. */
function typeOf(path: string): string | undefined {
  return TYPES[path.split(".").at(-1) ?? ""];
}
