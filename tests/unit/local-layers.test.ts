import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "../support/cli.ts";

const source = join(repository, "packages", "local", "src");

/** The layers from the lowest up; src/index.ts has the same list. A folder imports only from folders before it. */
const LAYERS = [
  "processes",
  "payments",
  "settings",
  "postgres",
  "gateway",
  "supabase",
  "schema",
  "functions",
  "seeds",
  "site",
];
/** These folders are above all layers, because they use stack.ts, which starts all parts. */
const COMMANDS = ["cli", "demo"];

async function importsOf(folder: string): Promise<Set<string>> {
  const files = (await readdir(join(source, folder))).filter((name) => name.endsWith(".ts"));
  const texts = await Promise.all(files.map((name) => readFile(join(source, folder, name), "utf8")));
  const found = texts.flatMap((text) =>
    [...text.matchAll(/from "\.\.\/([a-z-]+)\//g)].map((match) => match[1]),
  );
  return new Set(found.filter((name) => name !== undefined));
}

test("packages/local: every folder is in the list, and imports only from lower ones", async () => {
  const entries = await readdir(source, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(folders.sort()).toEqual([...LAYERS, ...COMMANDS].sort());
  for (const [index, folder] of [...LAYERS, ...COMMANDS].entries()) {
    const above = [...LAYERS, ...COMMANDS].slice(index + 1);
    expect(
      [...(await importsOf(folder))].filter((name) => above.includes(name)),
      folder,
    ).toEqual([]);
  }
  expect(await readFile(join(source, "index.ts"), "utf8")).toContain(LAYERS.join(" · "));
});

test("packages/local: one file of each folder begins with what the folder is for", async () => {
  for (const folder of [...LAYERS, ...COMMANDS]) {
    const files = (await readdir(join(source, folder))).filter((name) => name.endsWith(".ts"));
    const texts = await Promise.all(files.map((name) => readFile(join(source, folder, name), "utf8")));
    expect(texts.filter((text) => text.startsWith(`// ${folder}/: `)).length, folder).toBe(1);
  }
});

test("what is published imports its own files and core, and of a library nothing", async () => {
  for (const name of ["client", "hub"]) {
    const folder = join(repository, "packages", name, "src");
    const files = await readdir(folder);
    expect(files).toContain("index.ts");
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
    const specifiers = texts.flatMap((text) =>
      [...text.matchAll(/ from "([^"]+)"/g)].map((match) => match[1]),
    );
    expect(
      specifiers.filter((from) => !/^(\.\/[\w-]+\.ts|@keyhub\/core\/[\w-]+)$/.test(from ?? "")),
      name,
    ).toEqual([]);
  }
});
