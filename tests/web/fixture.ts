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
}

/** Opens a path as a new visitor without cookies or storage. */
export async function visit(path: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ baseURL: stack.url, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  await page.goto(path);
  return { page, complaints, close: () => context.close() };
}

/** The rules of axe whose result depends on the theme. */
export const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

const axe = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Returns violations of WCAG 2.2 A and AA and of good practice, one line each; or only those of the named rules of axe, or those in the
 * part that a selector names. Where another test looks at the rest of the page, the part is enough and costs half of the time.
 */
export async function violations(page: Page, rules: string[] = [], part?: string): Promise<string[]> {
  // The debugger runs axe, so that the page's content security policy need not allow another script.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(await axe);
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
