import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageFolder, repository, runTool } from "../support/cli.ts";
import { packed, readPacked } from "./packed.ts";

const cli = packed("cli");

test("the package holds one program, which needs its libraries of npm and nothing else", async () => {
  const programs = cli.files.filter((file) => /^dist\/[\w-]+\.js$/.test(file));
  expect(cli.files).toEqual(["LICENSE", "README.md", ...programs, "package.json"]);
  const manifest = JSON.parse(await readPacked(cli, "package.json"));
  expect(manifest).toMatchObject({ name: "@keyhub/cli", license: "MIT", bin: { keyhub: "dist/keyhub.js" } });
  expect(manifest.private).toBeUndefined();
  const [main = "", ...others] = await Promise.all(
    ["dist/keyhub.js", ...programs].map((file) => readPacked(cli, file)),
  );
  expect(main.startsWith("#!/usr/bin/env node\n")).toBe(true);
  const imported = others.flatMap((program) =>
    [...program.matchAll(/^(?:import|\} from) .*?"([^"]+)";$/gm)].map(([, name = ""]) => name),
  );
  expect(imported.length).toBeGreaterThan(5);
  const libraries = Object.keys(manifest.dependencies);
  for (const name of imported.filter((name) => !/^(?:node:|\.\/)/.test(name)))
    expect(
      libraries.some((library) => name === library || name.startsWith(`${library}/`)),
      name,
    ).toBe(true);
  // The package depends on the same versions with which the tests run.
  const lock = JSON.parse(await readFile(join(repository, "package-lock.json"), "utf8"));
  for (const [name, version] of Object.entries(manifest.dependencies))
    expect(lock.packages[`node_modules/${name}`]?.version, name).toBe(version);
});

test("as it is published it runs", async () => {
  const modules = join(cli.folder, "node_modules");
  const manifest = JSON.parse(await readPacked(cli, "package.json"));
  // A scope is linked as a whole, because its packages need each other.
  const isScoped = (library: string) => library.startsWith("@");
  for (const name of Object.keys(manifest.dependencies)) {
    const [scope = ""] = name.split("/");
    const target = isScoped(name) ? join(packageFolder(name), "..") : packageFolder(name);
    await symlink(target, join(modules, isScoped(name) ? scope : name), "dir");
  }
  const program = join(modules, "@keyhub", "cli", "dist", "keyhub.js");
  const help = await runTool("node", [program, "keys", "--help"], { cwd: cli.folder });
  expect(help).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("Exit codes") });
  const wrong = await runTool("node", [program, "keys", "SECRET"], { cwd: cli.folder });
  expect(wrong).toMatchObject({ code: 2, stdout: "", stderr: expect.not.stringContaining("SECRET") });
});
