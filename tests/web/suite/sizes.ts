import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { stack, visit } from "../fixture.ts";

const MOST_SCRIPT = 25_000;

test("a guest's landing page and an asset's page load at most 25 KB of scripts, gzipped, before any click", async () => {
  for (const path of ["/hub", "/hub/components/json-tree", "/hub/templates/clear-meeting-minutes"]) {
    const { page, close } = await visit("/favicon.svg");
    const sizes = new Map<string, Promise<number>>();
    page.on("response", (response) => {
      if (response.request().resourceType() !== "script") return;
      sizes.set(
        response.url(),
        response.body().then((body) => gzipSync(body).length),
      );
    });
    await page.goto(`${stack.url}${path}`, { waitUntil: "networkidle" });
    const all = await Promise.all(sizes.values());
    expect(all.length, path).toBeGreaterThan(0);
    expect(
      all.reduce((sum, size) => sum + size, 0),
      path,
    ).toBeLessThanOrEqual(MOST_SCRIPT);
    await close();
  }
});
