/** Writes dist/keyhub.js: the command as one module, together with the parts of core that it uses. Its libraries come from npm. */
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
  // Each library, and its submodules such as zod/mini.
  external: Object.keys(dependencies).flatMap((name) => [name, `${name}/*`]),
});
