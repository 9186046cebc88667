import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { builtSite } from "../../packages/local/src/index.ts";
import { openSite } from "../../packages/local/src/site/site.ts";
import { scratchFolder } from "./scratch.ts";

const scratch = scratchFolder();
afterEach(() => scratch.remove());

test("the pages and their files are served also after npm ci has deleted them", async () => {
  const dist = join(scratch.path, "pages");
  await cp(await builtSite(), dist, { recursive: true });
  await mkdir(join(dist, "client", "notes"));
  await writeFile(join(dist, "client", "notes", "private.key"), "not for browsers");
  const site = await openSite({
    dist,
    url: "http://keyhub.test",
    sealKey: "",
    publishableKey: "none",
    api: { fetch: async () => Response.error() },
    onLog: () => {},
  });
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
