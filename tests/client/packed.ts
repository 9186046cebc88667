import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect } from "vitest";
import { repository, runTool } from "../support/cli.ts";

const run = promisify(execFile);

export interface Packed {
  name: string;
  /** A folder with the package in its node_modules. */
  folder: string;
  /** The files of the package. */
  files: string[];
}

/** Returns the files that npm would publish of a package of packages/, unpacked in a folder where nothing else is installed. */
export function packed(name: string): Packed {
  const made: Packed = { name, folder: "", files: [] };
  beforeAll(async () => {
    made.folder = await mkdtemp(join(tmpdir(), "keyhub-pack-"));
    const source = join(repository, "packages", name);
    await run(process.execPath, ["build.ts"], { cwd: source });
    const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", made.folder];
    const { stdout } = await run("npm", args, { cwd: source, shell: process.platform === "win32" });
    const [pack] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
    made.files = pack.files.map(({ path }) => path).sort();
    await mkdir(installed(made), { recursive: true });
    const into = ["-C", installed(made), "--strip-components=1"];
    await run("tar", ["-xzf", join(made.folder, pack.filename), ...into]);
    await writeFile(join(made.folder, "package.json"), '{"type": "module"}');
  });
  afterAll(() => rm(made.folder, { recursive: true, force: true }));
  return made;
}

function installed({ folder, name }: Packed): string {
  return join(folder, "node_modules", "@keyhub", name);
}

/** Reads a file of the package. */
export function readPacked(made: Packed, file: string): Promise<string> {
  return readFile(join(installed(made), file), "utf8");
}

/** Checks that the package is one module without imports, that its types need no other package, and that it has no dependency. */
export async function expectSelfContained(made: Packed): Promise<void> {
  const manifest = JSON.parse(await readPacked(made, "package.json"));
  expect(manifest).toMatchObject({ name: `@keyhub/${made.name}`, type: "module", license: "MIT" });
  expect(manifest.private).toBeUndefined();
  for (const kind of ["dependencies", "peerDependencies", "optionalDependencies"])
    expect(manifest[kind]).toBeUndefined();
  const module = await readPacked(made, "dist/index.js");
  expect(module).not.toMatch(/^import |\bimport\(|\brequire\(/m);
  const types = made.files.filter((name) => name.endsWith(".d.ts"));
  for (const name of types) {
    const specifiers = [...(await readPacked(made, name)).matchAll(/(?:from |import\()"([^"]+)"/g)];
    for (const [, specifier] of specifiers) expect(specifier, name).toMatch(/^\.\/[\w.-]+\.js$/);
  }
}

/** Checks that programs with the package compile; the types of libraries are checked, too. One tsc compiles all, as it takes a second. */
export async function expectTypes({ folder }: Packed, ...programs: string[]): Promise<void> {
  const files = programs.map((_, n) => `program-${n}.ts`);
  await Promise.all(programs.map((program, n) => writeFile(join(folder, files[n] ?? ""), program)));
  const options = {
    strict: true,
    noEmit: true,
    module: "nodenext",
    target: "es2022",
    lib: ["es2022", "dom", "dom.iterable", "esnext.disposable"],
    types: [],
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files }));
  const { code, stdout } = await runTool("tsc", ["-p", folder], { cwd: folder });
  expect(stdout).toBe("");
  expect(code).toBe(0);
}

/** Returns these declarations and all TypeScript blocks of the package's README as one program. */
export async function readmeProgram(made: Packed, declarations = ""): Promise<string> {
  const readme = await readPacked(made, "README.md");
  const blocks = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);
  return [declarations, ...blocks, "export {};"].join("\n");
}
