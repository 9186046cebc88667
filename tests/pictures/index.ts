/**
 * `npm run pictures [-- <names>]`: takes pictures of every page of the hub in light, dark and phone width, from a stack of its own with the
 * demo data, into `.pictures/`; the three of the README go into docs/pictures. docs/operate/pages.md explains its use.
 */
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { startStack } from "../../packages/local/src/index.ts";
import { launchUnsharedBrowser } from "../support/browser.ts";
import { repository } from "../support/cli.ts";
import { fillWorkspace, type Member, signedIn } from "./accounts.ts";
import { makeOrganization } from "./organization.ts";
import { EMPTY_HUB, PAGES, type Picture, type Scene } from "./pages.ts";
import { writeReadmePictures } from "./readme.ts";

const LOOKS: Record<string, BrowserContextOptions> = {
  light: { colorScheme: "light", viewport: { width: 1280, height: 860 } },
  dark: { colorScheme: "dark", viewport: { width: 1280, height: 860 } },
  phone: {
    colorScheme: "light",
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
    isMobile: true,
  },
};

const wanted = process.argv.slice(2);
const folder = join(repository, ".pictures");
const scratch = await mkdtemp(join(tmpdir(), "keyhub-pictures-"));
// Started as root, Postgres runs as another user, who must be able to enter the folder.
await chmod(scratch, 0o755);
await mkdir(folder, { recursive: true });
const [stack, browser] = await Promise.all([
  startStack({ dataDir: join(scratch, "data") }),
  launchUnsharedBrowser(),
]);
try {
  const { KEYHUB_ADMIN_EMAIL, KEYHUB_DEMO_EMAIL, KEYHUB_DEMO_PASSWORD = "" } = stack.env;
  await fillWorkspace(stack, KEYHUB_DEMO_EMAIL ?? "");
  const invitation = await makeOrganization(stack, KEYHUB_DEMO_EMAIL ?? "", KEYHUB_DEMO_PASSWORD);
  const members: Record<Member, Awaited<ReturnType<typeof signedIn>>> = {
    member: await signedIn(browser, stack.url, KEYHUB_DEMO_EMAIL ?? "", KEYHUB_DEMO_PASSWORD),
    admin: await signedIn(browser, stack.url, KEYHUB_ADMIN_EMAIL ?? "", KEYHUB_DEMO_PASSWORD),
  };
  const scene: Scene = { stack, members, invitation };
  for (const picture of PAGES.filter(isWanted)) await take(browser, scene, picture);
  if (wanted.length === 0) await writeReadmePictures(browser, stack.url);
  // This picture comes last, because taking it deletes everything in the hub.
  if (isWanted(EMPTY_HUB)) await take(browser, scene, EMPTY_HUB);
} finally {
  await browser.close();
  await stack.stop();
  await rm(scratch, { recursive: true, force: true });
}

function isWanted({ name }: Picture): boolean {
  return wanted.length === 0 || wanted.includes(name);
}

async function take(browser: Browser, scene: Scene, picture: Picture): Promise<void> {
  for (const [look, options] of Object.entries(LOOKS)) {
    const storageState = picture.as && scene.members[picture.as];
    const context = await browser.newContext({
      baseURL: scene.stack.url,
      ...options,
      ...(storageState ? { storageState } : {}),
    });
    const page = await context.newPage();
    try {
      await picture.open(page, scene);
      await settle(page);
      // A dialog covers only the window, so the rest of the page is left out.
      const fullPage = (await page.locator("dialog[open]").count()) === 0;
      const file = `${picture.name}-${look}.png`;
      await writeFile(join(folder, file), await page.screenshot({ fullPage, animations: "disabled" }));
      console.log(`.pictures/${file}`);
    } finally {
      await context.close();
    }
  }
}

/** Loads all pictures of a page before it is captured, because some load only when they are scrolled near the window. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
  await page.evaluate(async () => {
    const pictures = [...document.images];
    for (const one of pictures) one.loading = "eager";
    await Promise.all(pictures.map((one) => one.decode().catch(() => {})));
  });
}
