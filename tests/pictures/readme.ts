import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { repository } from "../support/cli.ts";

/** The largest size of a picture; with larger ones the README would load slowly. */
const MOST_BYTES = 150_000;

const PICTURES: { name: string; path: string; dark?: true; scale?: number; width: number; height: number }[] =
  [
    { name: "hub", path: "/hub", width: 1280, height: 800 },
    {
      name: "asset",
      path: "/hub/orchestrations/research-brief-in-three-steps",
      dark: true,
      width: 1280,
      height: 800,
    },
    { name: "phone", path: "/hub/templates", scale: 2, width: 390, height: 800 },
  ];

/** Writes the pictures of the README: the window as a visitor first sees it. */
export async function writeReadmePictures(browser: Browser, url: string): Promise<void> {
  for (const { name, path, dark, scale, width, height } of PICTURES) {
    const page = await browser.newPage({
      baseURL: url,
      viewport: { width, height },
      colorScheme: dark ? "dark" : "light",
      ...(scale ? { deviceScaleFactor: scale } : {}),
    });
    await page.goto(path, { waitUntil: "networkidle" });
    const content = await webp(page);
    if (content.length > MOST_BYTES) throw new Error(`the picture ${name} has ${content.length} bytes`);
    const file = join("docs", "pictures", `${name}.webp`);
    await writeFile(join(repository, file), content);
    console.log(file);
    await page.close();
  }
}

/** Returns a picture of the page as WebP, which Playwright itself cannot write. */
async function webp(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 82 });
  return Buffer.from(data, "base64");
}
