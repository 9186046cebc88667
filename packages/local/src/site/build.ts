import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { oneLine, StartFailure } from "../failure.ts";
import { repositoryRoot } from "../settings/paths.ts";

const run = promisify(execFile);
const web = join(repositoryRoot, "packages", "web");
const stamp = join(web, "dist", "sources.sha256");

/** Where the built pages are, built anew when a source differs from those that they were built of. */
export async function builtSite(): Promise<string> {
  const sources = await fingerprint();
  const built = await readFile(stamp, "utf8").catch(() => null);
  if (built !== sources) {
    try {
      await run(process.execPath, [join(web, "build.ts")], { cwd: web });
    } catch (error) {
      const { stderr } = error as { stderr?: string };
      throw new StartFailure(`the pages cannot be built: ${oneLine(stderr || error)}`);
    }
    await writeFile(stamp, sources);
  }
  return join(web, "dist");
}

/** Of every file that goes into the pages. */
async function fingerprint(): Promise<string> {
  const hash = createHash("sha256");
  const folders = ["packages/web", "packages/hub/src", "packages/core/src"];
  for (const folder of folders) {
    const files = await readdir(join(repositoryRoot, folder), { recursive: true, withFileTypes: true });
    const names = files
      .filter((entry) => entry.isFile() && !/[/\\](dist|node_modules)([/\\]|$)/.test(entry.parentPath))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
    for (const name of names)
      hash
        .update(name)
        .update("\0")
        .update(await readFile(name))
        .update("\0");
  }
  hash.update(await readFile(join(repositoryRoot, "package-lock.json")));
  return hash.digest("hex");
}
