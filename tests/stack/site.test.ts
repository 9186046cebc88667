import { cp, mkdir, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { builtSite } from "../../packages/local/src/index.ts";
import { openSite } from "../../packages/local/src/site/site.ts";
import { watchSite } from "../../packages/local/src/site/watch.ts";
import { repository } from "../support/cli.ts";
import { scratchFolder } from "./scratch.ts";

const OPTIONS = {
  url: "http://keyhub.test",
  sealKey: "",
  publishableKey: "none",
  api: { fetch: async () => Response.error() },
  onLog: () => {},
};

const scratch = scratchFolder();
afterEach(() => scratch.remove());

test("the pages and their files are served also after npm ci has deleted them", async () => {
  const dist = join(scratch.path, "pages");
  await cp(await builtSite(), dist, { recursive: true });
  await mkdir(join(dist, "client", "notes"));
  await writeFile(join(dist, "client", "notes", "private.key"), "not for browsers");
  const site = await openSite({ dist, ...OPTIONS });
  await rm(dist, { recursive: true });

  const get = (path: string) => site.fetch(new Request(`http://keyhub.test${path}`));
  const page = await get("/login");
  expect(page.status).toBe(200);
  const html = await page.text();
  const loaded = [...html.matchAll(/"(\/(?:assets\/)?[\w.-]+\.(?:js|css|svg))"/g)].map(
    ([, path = ""]) => path,
  );
  expect(loaded.length).toBeGreaterThan(2);
  for (const path of loaded) expect((await get(path)).status, path).toBe(200);
  const script = await get(loaded.find((path) => path.endsWith(".js")) ?? "");
  expect(script.headers.get("content-type")).toMatch(/^text\/javascript/);
  expect(script.headers.get("cache-control")).toContain("immutable");
  expect((await get("/pictures/templates.png")).status).toBe(200);
  expect((await get("/notes/private.key")).status).toBe(404);
  expect((await get("/.vite/manifest.json")).status).toBe(404);
});

test.each(["packages/web/src/routes.ts", "packages/hub/src/hub.ts", "packages/core/src/hub/license.ts"])(
  "open pages are reloaded when %s is saved",
  async (file) => {
    const site = await watchSite({ dist: await builtSite(), ...OPTIONS });
    try {
      const { body } = await site.fetch(new Request("http://keyhub.test/assets/reload"));
      const event = body?.getReader().read();
      // The file keeps its content, so nothing is built again.
      await utimes(join(repository, file), new Date(), new Date());
      expect(new TextDecoder().decode((await event)?.value)).toBe("data: reload\n\n");
    } finally {
      site.stop();
    }
  },
);
