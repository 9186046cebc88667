// site/: the pages of packages/web, built when needed, and the files that browsers load for them.

import { readFile } from "node:fs/promises";
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
  /** The stack's REST API: the pages ask it without a connection. */
  api: { fetch(request: Request): Promise<Response> };
  onLog: (line: string) => void;
  reload?: boolean;
}

type CreateSite = (options: {
  supabaseUrl: string;
  publishableKey: string;
  reload: boolean;
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

/** Opens the built pages. */
export async function openSite(options: SiteOptions): Promise<Site> {
  const { dist, url, publishableKey, api, onLog, reload = false } = options;
  const entry = pathToFileURL(join(dist, "server", "server.js")).href;
  const { createSite } = (await import(entry)) as { createSite: CreateSite };
  const handler = createSite({
    supabaseUrl: url,
    publishableKey,
    reload,
    fetch: (input, init) => api.fetch(new Request(input, init)),
    onError: (error, requestId) => onLog(`page ${requestId}: ${String(error)}`),
  });
  return {
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      return (await file(join(dist, "client"), pathname)) ?? handler(request);
    },
  };
}

/** A file that browsers load. Names under assets/ hold a hash of their content, so they never change. */
async function file(folder: string, path: string): Promise<Response | null> {
  const match = /^\/(?:(?:assets|pictures)\/)?[\w-]+(?:\.[\w-]+)*\.([a-z]+)$/.exec(path);
  const type = TYPES[match?.[1] ?? ""];
  if (!type || path.includes("..")) return null;
  const content = await readFile(join(folder, path)).catch(() => null);
  if (content === null) return null;
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
