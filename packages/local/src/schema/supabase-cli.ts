import { createRequire } from "node:module";
import { StartFailure } from "../failure.ts";
import { plainEnvironment, runToEnd } from "../processes/children.ts";
import { repositoryRoot } from "../settings/paths.ts";

/** Runs the real Supabase CLI to its end; returns its exit code and output. */
export async function runSupabase(
  args: string[],
  workdir = repositoryRoot,
): Promise<{ code: number | null; output: string }> {
  return await runToEnd(process.execPath, [cliEntry(), ...args, "--workdir", workdir], {
    cwd: workdir,
    env: { ...plainEnvironment(), DO_NOT_TRACK: "1", SUPABASE_NO_UPDATE_NOTIFIER: "1", NO_COLOR: "1" },
  });
}

/** Returns the output of the CLI in a readable form: without escape codes, stack traces and the password, and at most 3,000 characters. */
export function readableOutput(output: string, url: string): string {
  const { password } = new URL(url);
  const text = (password ? output.replaceAll(password, "…") : output)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes are removed
    .replace(/\u001b\[[0-9;?]*[A-Za-z]/g, "")
    .split("\n")
    .filter((line) => !/^\s*(at |\d+ \| |Bun v|_tag:|$)/.test(line))
    .join("\n");
  return text.length > 3000 ? `…${text.slice(-3000)}` : text;
}

function cliEntry(): string {
  try {
    return createRequire(import.meta.url).resolve("supabase/dist/supabase.js");
  } catch {
    throw new StartFailure("the Supabase CLI is not installed; run npm ci.");
  }
}
