import { gzipSync } from "node:zlib";
import type { Page, Response } from "playwright-core";
import { expect, test } from "vitest";
import { stack, visit } from "../fixture.ts";
import { finish, member } from "../people.ts";

const MOST_SCRIPT = 25_000;
const MOST_SIGNED_IN = 100_000;

/** Returns the gzipped bytes of the scripts that a page loads before any click. */
async function scriptsOf(page: Page, path: string): Promise<number> {
  const sizes = new Map<string, Promise<number>>();
  const listen = (response: Response) => {
    if (response.request().resourceType() !== "script") return;
    sizes.set(
      response.url(),
      response.body().then((body) => gzipSync(body).length),
    );
  };
  page.on("response", listen);
  await page.goto(`${stack.url}${path}`, { waitUntil: "networkidle" });
  page.off("response", listen);
  const all = await Promise.all(sizes.values());
  expect(all.length, path).toBeGreaterThan(0);
  return all.reduce((sum, size) => sum + size, 0);
}

test("a guest's landing page and an asset's page load at most 25 KB of scripts, gzipped, before any click", async () => {
  const { page, close } = await visit("/favicon.svg");
  for (const path of ["/hub", "/hub/components/json-tree"])
    expect(await scriptsOf(page, path), path).toBeLessThanOrEqual(MOST_SCRIPT);
  await close();
});

test("signed in, a landing page and an asset's page load at most 100 KB of scripts, gzipped", async () => {
  const visitor = await member("/favicon.svg");
  for (const path of ["/hub", "/hub/components/json-tree"]) {
    const size = await scriptsOf(visitor.page, path);
    expect([path, size <= MOST_SIGNED_IN, size > MOST_SCRIPT]).toEqual([path, true, true]);
  }
  await finish(visitor);
});
