import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { repository } from "../support/cli.ts";
import type { Guard } from "./guards.ts";

/** Words of four letters and more, as they stand. */
const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[a-z]{4,}/g) ?? []);

/** The test files whose text shares most with the guard, rare words counting more: where its test most probably is. */
export async function nearestTests(
  guard: Guard,
  folders: string[],
  without: RegExp,
  count: number,
): Promise<string[]> {
  const files: { file: string; words: Set<string> }[] = [];
  for (const folder of folders) {
    for (const entry of await readdir(join(repository, folder), { recursive: true })) {
      const file = `${folder}/${entry.replaceAll("\\", "/")}`;
      if (!file.endsWith(".test.ts") || without.test(file)) continue;
      files.push({ file, words: wordsOf(await readFile(join(repository, file), "utf8")) });
    }
  }
  const wanted = [...wordsOf(`${guard.name} ${guard.path} ${guard.statement}`)];
  const weight = new Map(
    wanted.map((word) => [
      word,
      Math.log(files.length / (1 + files.filter(({ words }) => words.has(word)).length)),
    ]),
  );
  const inName = wordsOf(guard.name);
  const score = (words: Set<string>) =>
    wanted.reduce(
      (sum, word) => sum + (words.has(word) ? (weight.get(word) ?? 0) * (inName.has(word) ? 3 : 1) : 0),
      0,
    );
  return files
    .map(({ file, words }) => ({ file, score: score(words) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, count)
    .map(({ file }) => file);
}
