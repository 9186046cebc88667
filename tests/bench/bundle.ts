import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { repository } from "../support/cli.ts";

/** Returns the complete minified bundle of the function in a folder. */
export async function bundle(folder: string): Promise<Uint8Array> {
  const { outputFiles } = await build({ ...(await optionsOf(folder)), write: false });
  const [file] = outputFiles;
  if (file === undefined) throw new Error(`${folder} has no bundle`);
  return file.contents;
}

/**
 * Returns the minified size in bytes of the code that the function in a folder loads when it starts, without the code that it imports
 * later.
 */
export async function bundleSize(folder: string): Promise<number> {
  const options = await optionsOf(folder);
  const { metafile } = await build({
    ...options,
    write: false,
    metafile: true,
    splitting: true,
    outdir: "bundle",
  });
  const { outputs } = metafile;
  const entry = Object.keys(outputs).find((file) => outputs[file]?.entryPoint?.endsWith("index.ts"));
  if (entry === undefined) throw new Error(`${folder} has no bundle`);
  const loaded = new Set([entry]);
  for (const file of loaded) {
    for (const { path, kind } of outputs[file]?.imports ?? []) {
      if (kind === "import-statement" && path in outputs) loaded.add(path);
    }
  }
  return [...loaded].reduce((sum, file) => sum + (outputs[file]?.bytes ?? 0), 0);
}

/** Returns build options that resolve modules with the function's own import map, as Deno does. */
async function optionsOf(folder: string): Promise<BuildOptions> {
  const { imports } = JSON.parse(await readFile(join(folder, "deno.json"), "utf8")) as {
    imports: Record<string, string>;
  };
  const alias = Object.entries(imports).map(([from, to]) => [
    from,
    to.startsWith("npm:") ? to.replace(/^npm:((?:@[^/]+\/)?[^@/]+)@[^/]+/, "$1") : join(folder, to),
  ]);
  return {
    entryPoints: [join(folder, "index.ts")],
    alias: Object.fromEntries(alias),
    absWorkingDir: repository,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    mainFields: ["module", "main"],
    conditions: ["deno", "import"],
    external: ["node:*"],
    logLevel: "error",
  };
}
