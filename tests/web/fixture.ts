import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { type Stack, startStack } from "../../packages/local/src/index.ts";
import { launchBrowser } from "../support/browser.ts";
import { copyDataFolder } from "../support/data-folder.ts";

/** A test file that imports this gets a running stack with the demo data, and a browser. */
export let stack: Stack;
export let browser: Browser;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "keyhub-web-"));
  await chmod(folder, 0o755);
  const dataDir = join(folder, "data");
  await copyDataFolder(dataDir);
  [stack, browser] = await Promise.all([startStack({ dataDir }), launchBrowser()]);
});

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

export interface Visit {
  page: Page;
  /** The browser's complaints: errors of scripts, refusals by the content security policy, failed requests. */
  complaints: string[];
  close(): Promise<void>;
  /** Ends the visit like `close`, and gives the tab to a later visitor. Not for a tab on which a test has called addInitScript. */
  release(): Promise<void>;
}

export interface VisitOptions extends BrowserContextOptions {
  /** An item of localStorage. */
  stored?: { name: string; value: string };
}

/** Tabs that no visit uses now, each in its own context. A new tab starts a process, which must compile every script again. */
const free: Page[] = [];

/** Opens a path as a new visitor without cookies or storage. */
export async function visit(path: string, { stored, ...options }: VisitOptions = {}): Promise<Visit> {
  const isPlain = Object.keys(options).length === 0;
  const page =
    (isPlain && free.pop()) ||
    (await (await browser.newContext({ baseURL: stack.url, ...options })).newPage());
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  if (stored) {
    if (page.url() !== EMPTY()) await page.goto(EMPTY());
    await page.evaluate(({ name, value }) => localStorage.setItem(name, value), stored);
  }
  await page.goto(path);
  const close = () => page.context().close();
  return { page, complaints, close, release: () => (isPlain ? release(page) : close()) };
}

/** An address of the site that runs no script. */
const EMPTY = () => `${stack.url}/favicon.svg`;

/** Removes everything from a tab but its compiled scripts and its cache. */
async function release(page: Page): Promise<void> {
  const context = page.context();
  page.removeAllListeners();
  for (const other of context.pages()) if (other !== page) await other.close();
  await Promise.all([page.unrouteAll(), context.unrouteAll()]);
  await Promise.all([context.setOffline(false), context.clearPermissions()]);
  await page.goto(EMPTY());
  await page.evaluate(() => sessionStorage.clear());
  const session = await context.newCDPSession(page);
  await session.send("Storage.clearDataForOrigin", {
    ...{ origin: stack.url, storageTypes: "cookies,indexeddb,local_storage,cache_storage,service_workers" },
  });
  await session.detach();
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  await page.setViewportSize({ width: 1280, height: 720 });
  free.push(page);
}

/** The rules of axe whose result depends on the theme. */
export const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

const axe = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Returns violations of WCAG 2.2 A and AA and of good practice, one line each; or only those of the named rules of axe, or those in the
 * part that a selector names. Where another test looks at the rest of the page, the part is enough and costs half of the time.
 */
export async function violations(page: Page, rules: string[] = [], part?: string): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) {
    // The debugger runs axe, so that the page's content security policy need not allow another script. `page.evaluate` would do so, too,
    // but the browser would compile axe again for each page.
    const session = await page.context().newCDPSession(page);
    await session.send("Runtime.evaluate", { expression: await axe });
    await session.detach();
  }
  const found = await page.evaluate(
    async ([only, part]) => {
      type Result = { violations: { id: string; nodes: { html: string }[] }[] };
      const { axe } = globalThis as unknown as {
        axe: { run(where: Document | string, options: object): Promise<Result> };
      };
      // Without this option axe also describes each element that passes.
      const options = { resultTypes: ["violations"] };
      const wanted = only.length > 0 ? { ...options, runOnly: { type: "rule", values: only } } : options;
      return (await axe.run(part ?? document, wanted)).violations;
    },
    [rules, part] as const,
  );
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}
