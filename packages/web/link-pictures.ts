/**
 * Writes public/pictures/<section>.png (1200 × 630): the `og:image` of listings whose own picture cannot be drawn.
 * Uses Chrome by default:
 *
 *     node packages/web/link-pictures.ts [path of a Chromium]
 */
import { join } from "node:path";
import { chromium } from "playwright-core";
import { SECTIONS, TYPE_NAMES } from "./src/data/addresses.ts";
import type { AssetType } from "./src/data/hub.ts";

const COLOURS: Record<AssetType, string> = {
  orchestration: "#5a45d6",
  template: "#00706b",
  component: "#a03a00",
  ai_preset: "#a3216b",
};

const [executablePath] = process.argv.slice(2);
const browser = await chromium.launch(executablePath ? { executablePath } : { channel: "chrome" });
const page = await browser.newPage({ viewport: { width: 1200, height: 630 } });
for (const [type, section] of Object.entries(SECTIONS) as [AssetType, string][]) {
  const circles = Array.from(
    { length: 9 },
    (_, place) =>
      `<circle cx="${(place * 397) % 1200}" cy="${(place * 233) % 630}" r="${60 + ((place * 71) % 150)}" fill="#fff" fill-opacity="${0.05 + (place % 4) * 0.03}"/>`,
  ).join("");
  await page.setContent(`<body style="margin:0"><svg width="1200" height="630" style="background:${COLOURS[type]}">${circles}
    <text x="80" y="330" fill="#fff" font-family="sans-serif" font-weight="700" font-size="92">${TYPE_NAMES[type].one}</text>
    <text x="84" y="410" fill="#fff" fill-opacity=".85" font-family="sans-serif" font-size="44">shared on Keyhub</text></svg></body>`);
  await page.screenshot({ path: join(import.meta.dirname, "public", "pictures", `${section}.png`) });
}
await browser.close();
