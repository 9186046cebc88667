/**
 * `npm test`: the formatter and linter, the types as Node and as Deno see them, then every test, then the
 * guards of SQL that changed. Arguments go to Vitest. The last line holds the counts; the exit code is 1 when anything failed.
 */
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository, runTool, type Tool } from "./support/cli.ts";
import { add, type Counts, countVitest, summary, type VitestReport } from "./support/counts.ts";

let counts: Counts = { passed: 0, failed: 0, skipped: 0 };

async function check(name: string, tool: Tool, args: string[]): Promise<void> {
  const started = performance.now();
  const { code, stdout, stderr } = await runTool(tool, args).catch((error: unknown) => ({
    code: 1,
    stdout: "",
    stderr: String(error),
  }));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${code === 0 ? "✓" : "✗"} ${name} (${seconds} s)`);
  if (code !== 0) console.log(`${stdout}${stderr}`);
  counts = add(counts, { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 });
}

/** One check for each function: Deno knows types and resolves modules otherwise than Node. */
async function checkFunctions(): Promise<void> {
  const folder = join(repository, "supabase", "functions");
  for (const name of (await readdir(folder)).sort()) {
    const [entrypoint, config] = [join(folder, name, "index.ts"), join(folder, name, "deno.json")];
    if (!existsSync(entrypoint)) continue;
    const flags = ["--config", config, "--no-lock", "--node-modules-dir=manual"];
    await check(`deno check ${name}`, "deno", ["check", ...flags, entrypoint]);
  }
}

async function vitest(): Promise<Counts> {
  const folder = await mkdtemp(join(tmpdir(), "keyhub-run-"));
  const file = join(folder, "report.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
    const { code } = await runTool("vitest", ["run", ...reporters, ...process.argv.slice(2)], { show: true });
    const report = await readFile(file, "utf8").then(
      (text): VitestReport => JSON.parse(text),
      () => undefined,
    );
    return countVitest(report, code);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

await check("biome check", "biome", ["check", "."]);
await check("tsc --noEmit", "tsc", ["--noEmit"]);
await checkFunctions();
counts = add(counts, await vitest());
// With arguments somebody wants a part of the tests.
if (process.argv.length === 2)
  await check("guards of changed statements", "node", [
    "tests/mutation/run.ts",
    "--changed",
    "--seconds=120",
  ]);
console.log(summary(counts));
process.exitCode = counts.failed > 0 ? 1 : 0;
