import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { access, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { oneLine, StartFailure } from "../failure.ts";
import { repositoryRoot } from "../settings/paths.ts";

const run = promisify(execFile);
const web = join(repositoryRoot, "packages", "web");
const cache = join(repositoryRoot, "node_modules", ".cache", "keyhub-web");
/** The sources of the pages. */
export const SITE_SOURCES = ["packages/web", "packages/hub/src", "packages/core/src"];

/** Builds the pages, unless these sources were built already. Returns the folder, with client/ and server/. Two builds may run at once. */
export async function builtSite(): Promise<string> {
  const folder = join(cache, (await fingerprint()).slice(0, 16));
  if (await exists(join(folder, "server"))) return folder;
  const unfinished = `${folder}.${process.pid}`;
  try {
    await mkdir(cache, { recursive: true });
    await run(process.execPath, [join(web, "build.ts"), unfinished], { cwd: web });
    // If another build was first, its folder is kept; both have built the same.
    await rename(unfinished, folder).catch(() => {});
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new StartFailure(`the pages cannot be built: ${oneLine(stderr || error)}`);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return folder;
}

/** Returns a hash of all sources of the pages and of package-lock.json. */
async function fingerprint(): Promise<string> {
  const hash = createHash("sha256");
  for (const source of SITE_SOURCES) {
    const entries = await readdir(join(repositoryRoot, source), { recursive: true, withFileTypes: true });
    const names = entries
      .filter((entry) => entry.isFile() && !/[/\\](dist|node_modules)([/\\]|$)/.test(entry.parentPath))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
    for (const name of names) {
      hash
        .update(name.slice(repositoryRoot.length))
        .update("\0")
        .update(await readFile(name));
    }
  }
  return hash.update(await readFile(join(repositoryRoot, "package-lock.json"))).digest("hex");
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
