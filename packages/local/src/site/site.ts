// site/: serves the pages of packages/web, which it builds when needed, and the files that browsers load for them.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export interface Site {
  /** Answers pages and their files. */
  fetch(request: Request): Promise<Response>;
}

export interface SiteOptions {
  /** The folder of the built pages. */
  dist: string;
  /** The address of the stack. */
  url: string;
  publishableKey: string;
  /** The public seal key, with which pages seal API keys. */
  sealKey: string;
  /** The stack's REST API, which the pages call without a network connection. */
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

/** Opens the built pages. It reads all files now, so that they can be served even if `npm ci` deletes the folder later. */
export async function openSite(options: SiteOptions): Promise<Site> {
  const { dist, url, publishableKey, sealKey, api, onLog, reload = false } = options;
  const entry = pathToFileURL(join(dist, "server", "server.js")).href;
  const { createSite } = (await import(entry)) as { createSite: CreateSite };
  const [wasm, ...fonts] = await Promise.all(
    ["resvg.wasm", "inter-400.bin", "inter-700.bin"].map((name) => readFile(join(dist, "server", name))),
  );
  if (wasm === undefined) throw new Error("the module that draws pictures is missing");
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

/** Returns the files that browsers load, by their paths. */
async function readAll(folder: string): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => typeOf(name) !== undefined);
  const read = names.map(async (name) => [`/${name}`, await readFile(join(folder, name))] as const);
  return new Map(await Promise.all(read));
}

/** Returns a file as a response. Names under assets/ contain a hash of the content, so these files never change. */
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

/** Returns the media type; undefined for a file that browsers do not load. */
function typeOf(path: string): string | undefined {
  return TYPES[path.split(".").at(-1) ?? ""];
}
