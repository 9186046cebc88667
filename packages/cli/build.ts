/**
 * Bundles the command and the parts of core that it imports. The result is dist/keyhub.js, and beside it modules that only some commands
 * need. Such a module is loaded when one of its commands runs. The npm libraries stay outside.
 */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

const root = import.meta.dirname;
const { dependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
const dist = join(root, "dist");
await rm(dist, { recursive: true, force: true });
await build({
  entryPoints: { keyhub: join(root, "src", "main.ts") },
  outdir: dist,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  // Leaves each npm library, and its submodules such as zod/mini, out of the bundle.
  external: Object.keys(dependencies).flatMap((name) => [name, `${name}/*`]),
});
