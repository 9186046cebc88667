import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { repository, runTool } from "./cli.ts";
import { functionNames, functionsFolder } from "./function-names.ts";
import type { Check } from "./static-checks.ts";

const cache = join(repository, "node_modules", ".cache", "keyhub");
const FLAGS = ["--no-lock", "--node-modules-dir=manual"];

/**
 * Checks the functions with Deno. One process checks the types of all functions, with their import maps joined, so that core and
 * supabase-js are checked only once. A second, fast check makes sure that each function's own deno.json resolves its imports.
 */
export const functionChecks: Check[] = [
  { name: "deno check supabase/functions", run: checkTypes },
  { name: "each deno.json resolves what its function imports", run: checkImports },
];

const configOf = (name: string) => join(functionsFolder, name, "deno.json");
const entryOf = (name: string) => join(functionsFolder, name, "index.ts");

async function checkTypes(): Promise<string | undefined> {
  const names = functionNames;
  const joined = await joinImports(names);
  if ("fault" in joined) return joined.fault;
  const file = join(cache, "functions.json");
  await mkdir(cache, { recursive: true });
  await writeFile(file, JSON.stringify(joined));
  const map = ["--no-config", "--import-map", file];
  const { code, stdout, stderr } = await runTool("deno", ["check", ...map, ...FLAGS, ...names.map(entryOf)]);
  return code === 0 ? undefined : `${stdout}${stderr}`;
}

/** Joins the import maps of all functions, or returns the fault when two of them differ. */
async function joinImports(
  names: readonly string[],
): Promise<{ imports: Record<string, string> } | { fault: string }> {
  const imports: Record<string, string> = {};
  for (const name of names) {
    const config = JSON.parse(await readFile(configOf(name), "utf8"));
    for (const [specifier, target] of Object.entries<string>(config.imports)) {
      const full = target.startsWith(".") ? pathToFileURL(join(functionsFolder, name, target)).href : target;
      if ((imports[specifier] ?? full) !== full) {
        return {
          fault: `${relative(repository, configOf(name))}: ${specifier} is mapped differently in another function`,
        };
      }
      imports[specifier] = full;
    }
  }
  return { imports };
}

/** A module in the output of `deno info --json`; a specifier that cannot be resolved has an error. */
interface Module {
  specifier: string;
  error?: string;
  dependencies?: { specifier: string; code?: { error?: string }; type?: { error?: string } }[];
}

async function checkImports(): Promise<string | undefined> {
  const faults: string[] = [];
  for (const name of functionNames) {
    const args = ["info", "--json", "--config", configOf(name), ...FLAGS, entryOf(name)];
    const { code, stdout, stderr } = await runTool("deno", args);
    if (code !== 0) return stderr;
    for (const { specifier, error, dependencies = [] } of (JSON.parse(stdout) as { modules: Module[] })
      .modules) {
      if (error !== undefined) faults.push(`${specifier}: ${error}`);
      for (const { code, type } of dependencies) {
        const fault = code?.error ?? type?.error;
        if (fault !== undefined) faults.push(`${specifier}: ${fault}`);
      }
    }
  }
  return faults.length === 0 ? undefined : faults.join("\n");
}
