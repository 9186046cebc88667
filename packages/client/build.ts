/**
 * Writes dist: index.js, one ES module with what it uses of core inside, and the types that its exports reach. What is published
 * needs nothing else.
 */
import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";

const run = promisify(execFile);
const root = import.meta.dirname;
const dist = join(root, "dist");

await rm(dist, { recursive: true, force: true });
await build({
  entryPoints: [join(root, "src", "index.ts")],
  outfile: join(dist, "index.js"),
  bundle: true,
  format: "esm",
  platform: "neutral",
  target: "es2022",
  mainFields: [],
});

const emitted = join(dist, "types");
const tsc = join(root, "..", "..", "node_modules", "typescript", "bin", "tsc");
await run(process.execPath, [tsc, "-p", join(root, "tsconfig.build.json")]);
await writeTypes(join(emitted, "client", "src", "index.d.ts"));
await rm(emitted, { recursive: true });

/** Copies what the entry reaches. A type of another package would be missing where this one is installed. */
async function writeTypes(entry: string): Promise<void> {
  const files = new Set([entry]);
  for (const file of files) {
    const text = await readFile(file, "utf8");
    const rewritten = text.replace(/(from |import\()"([^"]+)"/g, (_, before: string, specifier: string) => {
      if (!specifier.startsWith("./")) throw new Error(`the types reach ${specifier}`);
      const name = specifier.replace(/\.ts$/, "");
      files.add(join(dirname(file), `${name}.d.ts`));
      return `${before}"${name}.js"`;
    });
    await writeFile(join(dist, basename(file)), rewritten);
  }
}
