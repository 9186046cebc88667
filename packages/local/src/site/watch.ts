import { watch } from "node:fs";
import { join } from "node:path";
import { oneLine } from "../failure.ts";
import { repositoryRoot } from "../settings/paths.ts";
import { builtSite, SITE_SOURCES } from "./build.ts";
import { openSite, type Site, type SiteOptions } from "./site.ts";

/** Builds the pages when a source of the pages changes, and reloads open pages. For work on the pages. */
export async function watchSite(options: SiteOptions): Promise<Site & { stop(): void }> {
  const watched = { ...options, reload: true };
  let site = await openSite(watched);
  let building = false;
  let again = false;
  /** Open pages that wait for the next build. */
  const waiting = new Set<ReadableStreamDefaultController<Uint8Array>>();

  async function rebuild(): Promise<void> {
    building = true;
    do {
      again = false;
      try {
        site = await openSite({ ...watched, dist: await builtSite() });
        for (const page of waiting) page.enqueue(new TextEncoder().encode("data: reload\n\n"));
      } catch (error) {
        options.onLog(oneLine(error));
      }
    } while (again);
    building = false;
  }

  const watchers = SITE_SOURCES.map((folder) =>
    watch(join(repositoryRoot, folder), { recursive: true }, () => {
      again = true;
      if (!building) void rebuild();
    }),
  );
  return {
    fetch: async (request) => {
      if (new URL(request.url).pathname !== "/assets/reload") {
        const response = await site.fetch(request);
        if (response.headers.get("content-type")?.startsWith("text/html"))
          response.headers.set("cache-control", "no-store");
        return response;
      }
      let page: ReadableStreamDefaultController<Uint8Array>;
      const stream = new ReadableStream<Uint8Array>({
        start: (controller) => {
          page = controller;
          waiting.add(page);
        },
        cancel: () => void waiting.delete(page),
      });
      return new Response(stream, { headers: { "content-type": "text/event-stream" } });
    },
    stop: () => {
      for (const watcher of watchers) watcher.close();
      for (const page of waiting) page.close();
    },
  };
}
