import { execFile } from "node:child_process";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startStack } from "../../packages/local/src/index.ts";
import { browserPath } from "../support/browser.ts";
import { median } from "./cluster.ts";

/**
 * The package is fetched only when the bench runs, because the bench is rarely run: with its dependencies, the package has 176 MB and takes
 * as long to install as all other packages of the repository.
 */
const LIGHTHOUSE = "lighthouse@13.5.0";
const ROUNDS = 5;
const WANTED = 95;
const PATHS = ["/hub", "/hub/orchestrations/research-brief-in-three-steps", "/hub/components/json-tree"];

interface Report {
  runtimeError?: { message: string };
  categories: Record<string, { score: number | null }>;
  audits: Record<
    string,
    { title: string; score: number | null; displayValue?: string; numericValue?: number }
  >;
}

/**
 * Runs Lighthouse with its default settings: a simulated phone with a slow network and processor. It reports the median of five runs for
 * each category.
 */
export async function benchLighthouse(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "keyhub-bench-lighthouse-"));
  // Started as root, Postgres runs as another user, who must be able to enter the folder.
  await chmod(folder, 0o755);
  const chrome = await browserPath();
  const stack = await startStack({ dataDir: join(folder, "data") });
  try {
    for (const path of PATHS) {
      const reports: Report[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        reports.push(await report(`${stack.url}${path}`, join(folder, "report.json"), chrome));
      }
      show(path, reports);
    }
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function report(url: string, file: string, chrome: string | undefined): Promise<Report> {
  const flags = "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage";
  const options = ["--quiet", "--output=json", `--output-path=${file}`, `--chrome-flags=${flags}`];
  const command = ["exec", "--yes", `--package=${LIGHTHOUSE}`, "--", "lighthouse", url, ...options];
  await promisify(execFile)("npm", command, {
    env: { ...process.env, ...(chrome ? { CHROME_PATH: chrome } : {}) },
    timeout: 300_000,
  });
  const read = JSON.parse(await readFile(file, "utf8")) as Report;
  if (read.runtimeError) throw new Error(`${url}: ${read.runtimeError.message}`);
  return read;
}

function show(path: string, reports: Report[]): void {
  const scores = Object.keys(reports[0]?.categories ?? {}).map((category): [string, number] => [
    category,
    Math.round(100 * median(reports.map(({ categories }) => categories[category]?.score ?? 0))),
  ]);
  const time = (audit: string) =>
    `${Math.round(median(reports.map(({ audits }) => audits[audit]?.numericValue ?? 0)))} ms`;
  const below = scores.some(([, score]) => score < WANTED) ? `, below ${WANTED}` : "";
  console.log(`${path}: ${scores.map(([category, score]) => `${category} ${score}`).join(", ")}${below}`);
  console.log(
    `  first paint ${time("first-contentful-paint")}, largest ${time("largest-contentful-paint")}, blocked ${time("total-blocking-time")}`,
  );
  const { audits = {} } = reports.at(-1) ?? {};
  for (const [id, { title, score, displayValue }] of Object.entries(audits)) {
    if (score !== null && score < 0.9) console.log(`  ${id}: ${title} ${displayValue ?? ""}`.trimEnd());
  }
}
