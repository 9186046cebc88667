/**
 * Builds the dist of a package that is published: index.js, one ES module that includes the parts of core that it uses, and the types that
 * its exports refer to. The published package needs no other file.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";

const run = promisify(execFile);
const packages = import.meta.dirname;

/** Builds the package in a folder of packages/. It replaces each file of dist atomically, because another process may be reading it. */
export async function buildPackage(root: string): Promise<void> {
  const made = await mkdtemp(join(root, ".dist-"));
  try {
    await build({
      entryPoints: [join(root, "src", "index.ts")],
      outfile: join(made, "index.js"),
      bundle: true,
      format: "esm",
      platform: "neutral",
      target: "es2022",
      mainFields: [],
    });
    await writeTypes(root, made);
    const dist = join(root, "dist");
    await mkdir(dist, { recursive: true });
    const files = await readdir(made);
    for (const file of files) await rename(join(made, file), join(dist, file));
    for (const file of await readdir(dist)) {
      if (!files.includes(file)) await rm(join(dist, file), { recursive: true, force: true });
    }
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

/**
 * Copies the types of this package and of core that the entry refers to. Throws if they refer to any other package, whose types would be
 * missing after installation.
 */
async function writeTypes(root: string, made: string): Promise<void> {
  const emitted = await mkdtemp(join(root, ".types-"));
  try {
    const tsc = join(packages, "..", "node_modules", "typescript", "bin", "tsc");
    await run(process.execPath, [tsc, "-p", join(root, "tsconfig.build.json"), "--outDir", emitted]);
    const core = JSON.parse(await readFile(join(packages, "core", "package.json"), "utf8"));
    const files = new Set([join(emitted, basename(root), "src", "index.d.ts")]);
    for (const file of files) {
      const text = await readFile(file, "utf8");
      const rewritten = text.replace(/(from |import\()"([^"]+)"/g, (_, before: string, specifier: string) => {
        const reached = declarationOf(specifier, dirname(file), join(emitted, "core"), core.exports);
        files.add(reached);
        return `${before}"./${nameOf(reached)}.js"`;
      });
      await writeFile(join(made, `${nameOf(file)}.d.ts`), rewritten);
    }
    const names = [...files].map(nameOf);
    if (new Set(names).size < names.length)
      throw new Error(`two files of types have the same name: ${names}`);
  } finally {
    await rm(emitted, { recursive: true, force: true });
  }
}

/** Returns the file's name in dist, where all files are in one folder. */
function nameOf(file: string): string {
  const name = basename(file, ".d.ts");
  return file.includes(join("core", "src")) ? `core-${name}` : name;
}

/** Returns the emitted file that the specifier of an import means: a file in the same folder, or an entry point of core. */
function declarationOf(
  specifier: string,
  folder: string,
  core: string,
  entrances: Record<string, string>,
): string {
  const entrance = entrances[specifier.replace(/^@keyhub\/core/, ".")];
  const path = entrance === undefined ? specifier : join(core, entrance);
  if (entrance === undefined && !specifier.startsWith("./"))
    throw new Error(`the types refer to ${specifier}`);
  return join(entrance === undefined ? folder : "", path).replace(/(\.ts)?$/, ".d.ts");
}
