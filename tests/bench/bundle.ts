import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { repository } from "../support/cli.ts";

/** The minified bundle of the function in a folder, resolved by its own import map as Deno does. */
export async function bundle(folder: string): Promise<Uint8Array> {
  const { imports } = JSON.parse(await readFile(join(folder, "deno.json"), "utf8")) as {
    imports: Record<string, string>;
  };
  const alias = Object.entries(imports).map(([from, to]) => [
    from,
    to.startsWith("npm:") ? to.replace(/^npm:((?:@[^/]+\/)?[^@/]+)@[^/]+/, "$1") : join(folder, to),
  ]);
  const { outputFiles } = await build({
    entryPoints: [join(folder, "index.ts")],
    alias: Object.fromEntries(alias),
    absWorkingDir: repository,
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    mainFields: ["module", "main"],
    conditions: ["deno", "import"],
    external: ["node:*"],
    logLevel: "error",
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error(`${folder} has no bundle`);
  return file.contents;
}
