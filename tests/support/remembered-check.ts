import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { repository } from "./cli.ts";
import type { Check } from "./static-checks.ts";

const cache = join(repository, "node_modules", ".cache", "keyhub");

/**
 * Returns a check that is skipped when its inputs (files and folders) have not changed since its last run without a fault.
 * package-lock.json is always an input, because another version of a tool may find other faults.
 */
export function rememberedCheck({ name, run }: Check, inputs: string[]): Check {
  const file = join(cache, name.replaceAll(/[^a-z0-9]+/gi, "-"));
  return {
    name,
    run: async () => {
      const hash = await hashOf([...inputs, join(repository, "package-lock.json")]);
      if ((await readFile(file, "utf8").catch(() => "")) === hash) return undefined;
      const fault = await run();
      if (fault !== undefined) return fault;
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, hash);
      return undefined;
    },
  };
}

/** Returns a hash of names and contents, so that a moved, new or deleted file changes it. */
async function hashOf(paths: string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const path of paths) {
    const isFolder = (await stat(path)).isDirectory();
    const files = isFolder
      ? (await readdir(path, { recursive: true })).sort().map((name) => join(path, name))
      : [path];
    for (const file of files) {
      if ((await stat(file)).isFile()) hash.update(`${file}\0`).update(await readFile(file));
    }
  }
  return hash.digest("hex");
}
