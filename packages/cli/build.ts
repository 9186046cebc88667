/** Bundles the command and the parts of core that it imports into one module, dist/keyhub.js. The npm libraries stay outside of it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

const root = import.meta.dirname;
const { dependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
await build({
  entryPoints: [join(root, "src", "main.ts")],
  outfile: join(root, "dist", "keyhub.js"),
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  // Leaves each npm library, and its submodules such as zod/mini, out of the bundle.
  external: Object.keys(dependencies).flatMap((name) => [name, `${name}/*`]),
});
