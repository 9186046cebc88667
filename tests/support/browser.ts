import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { repository } from "./cli.ts";
import { packedBrowserPath } from "./shared.ts";

/**
 * Without this argument a hanging frame also blocks the page around it. The arguments that @sparticuz/chromium recommends are not used,
 * because they switch web security off.
 */
const ARGUMENTS = ["--site-per-process"];

const isPacked = process.platform === "linux" && process.arch === "x64";

/**
 * Starts a Chromium: KEYHUB_CHROMIUM, else the one inside @sparticuz/chromium (Linux on x64), else an installed Chrome, Edge or Chromium.
 * If there is no browser, it throws, so no test is skipped without notice.
 */
export async function launchBrowser(more: string[] = []): Promise<Browser> {
  const args = [...ARGUMENTS, ...more];
  const executablePath = process.env.KEYHUB_CHROMIUM || (await packedBrowser());
  if (executablePath) return chromium.launch({ executablePath, args });
  for (const channel of ["chrome", "msedge", "chromium"]) {
    const browser = await chromium.launch({ channel, args }).catch(() => null);
    if (browser) return browser;
  }
  throw new Error("There is no browser for the tests: npx playwright-core install chromium-headless-shell");
}

/** Starts the same browser outside of a test run, for benches and pictures. */
export async function launchUnsharedBrowser(more: string[] = []): Promise<Browser> {
  const path = await browserPath();
  if (path) process.env.KEYHUB_CHROMIUM = path;
  return launchBrowser(more);
}

/** For callers outside of a test run: returns the path of the browser, or undefined when an installed browser must be used. */
export async function browserPath(): Promise<string | undefined> {
  return process.env.KEYHUB_CHROMIUM || (isPacked ? (await unpackBrowser()).value : undefined);
}

async function packedBrowser(): Promise<string | null> {
  return isPacked ? packedBrowserPath() : null;
}

/**
 * Returns a fontconfig file with the fonts of the system and of the package. The folders in the package's own fontconfig file exist only on
 * AWS, so with that file the browser would find no font and exit.
 */
const fontsOf = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir>${join(folder, "fonts", "fonts")}</dir>
  <cachedir>${join(folder, "fonts-cache")}</cachedir>
</fontconfig>
`;

/** Unpacks the browser of @sparticuz/chromium once per version. Only one process may do so, because the others read the same folder. */
export async function unpackBrowser(): Promise<{ value: string; stop(): Promise<void> }> {
  const about = join(repository, "node_modules", "@sparticuz", "chromium", "package.json");
  const { version } = JSON.parse(readFileSync(about, "utf8")) as { version: string };
  const folder = join(repository, "node_modules", ".cache", `chromium-${version}`);
  mkdirSync(folder, { recursive: true });
  // The package reads this variable on import. If it is set, the package also unpacks the libraries and fonts that a bare system lacks.
  process.env.AWS_LAMBDA_JS_RUNTIME = "nodejs22.x";
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  try {
    const packed = (await import("@sparticuz/chromium")).default;
    packed.setGraphicsMode = false;
    const value = await packed.executablePath();
    if (!existsSync(value)) throw new Error(`there is no browser at ${value}`);
    writeFileSync(join(folder, "fonts", "fonts.conf"), fontsOf(folder));
    return { value, stop: async () => {} };
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}
