import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { repository } from "./cli.ts";
import type { Check } from "./static-checks.ts";

/** These files are generated from the database or from contracts, so their types repeat the names of tables and contracts. */
const GENERATED = ["packages/core/src/database.types.ts", "packages/hub/src/answers.ts"];

/** This type name may occur in every file handler.ts, because each function declares the dependencies of its own handler there. */
const OF_EACH_HANDLER = { name: "Dependencies", file: "handler.ts" };

export const oneWord: Check = {
  name: "an exported type, and a folder, has one meaning",
  run: async () => {
    const listed = execFileSync("git", ["ls-files", "packages", "supabase/functions", "supabase/schemas"], {
      cwd: repository,
      encoding: "utf8",
    });
    const files = listed.split("\n").filter((file) => file !== "");
    const read = (file: string) => readFileSync(join(repository, file), "utf8");
    const sources = files.filter((file) => /\.tsx?$/.test(file) && !GENERATED.includes(file));
    const faults = [
      ...typesTwice(new Map(sources.map((file) => [file, read(file)]))),
      ...foldersTwice(files, read("docs/reference/glossary.md")),
    ];
    return faults.length === 0 ? undefined : `${faults.join("\n")}\n`;
  },
};

/** Returns a fault for each type name that several files export; `sources` has the text of each file. */
export function typesTwice(sources: ReadonlyMap<string, string>): string[] {
  const places = new Map<string, string[]>();
  for (const [file, text] of sources)
    for (const [, name = ""] of text.matchAll(/^export (?:declare )?(?:interface|type|class|enum) (\w+)/gm))
      if (name !== OF_EACH_HANDLER.name || basename(file) !== OF_EACH_HANDLER.file)
        places.set(name, [...(places.get(name) ?? []), file]);
  return [...places]
    .filter(([, files]) => files.length > 1)
    .map(([name, files]) => `the type ${name} is exported by ${files.join(" and ")}: give one another name`);
}

/** Returns a fault for each folder name that occurs in several places, unless the glossary defines it in an entry **`name/`**. */
export function foldersTwice(files: readonly string[], glossary: string): string[] {
  const folders = new Set<string>();
  for (const file of files)
    for (let folder = dirname(file); folder !== "."; folder = dirname(folder)) folders.add(folder);
  const places = new Map<string, string[]>();
  for (const folder of folders)
    places.set(basename(folder), [...(places.get(basename(folder)) ?? []), folder]);
  const repeated = [...places].filter(([, all]) => all.length > 1);
  const explained = [...glossary.matchAll(/\*\*`([\w-]+)\/`\*\*/g)].map(([, name = ""]) => name);
  return [
    ...repeated
      .filter(([name]) => !explained.includes(name))
      .map(
        ([name, all]) =>
          `the folder name ${name} stands for ${all.join(" and ")}: rename one, or explain it in the glossary`,
      ),
    ...explained
      .filter((name) => !repeated.some(([one]) => one === name))
      .map((name) => `the glossary explains the folder name ${name}, which is not used twice`),
  ];
}
