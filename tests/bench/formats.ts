import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import papa from "papaparse";
import { parse as parseYaml } from "yaml";
import {
  formatOf,
  readForeign,
  type Syntax,
  writeForeign,
} from "../../packages/core/src/hub/formats/index.ts";
import { redactPublication } from "../../packages/core/src/hub/index.ts";
import { repository } from "../support/cli.ts";

const FIXTURES = join(repository, "tests", "fixtures", "formats");
/** The number of characters of one format that are read in a round. */
const LENGTH = 1_000_000;
const ROUNDS = 7;

/**
 * Measures the cost of reading files of other tools, less the cost of only parsing them, and how many of the files can be imported and
 * exported again. BENCH_FORMATS is a folder of real files, with one folder for each format. Without it, the fixtures are read.
 */
export async function benchFormats(): Promise<Record<string, Result>> {
  const folder = process.env.BENCH_FORMATS;
  const files = folder === undefined ? await fixtures() : await realFiles(folder);
  const results: Record<string, Result> = {};
  console.log("format              files  read  same  redacted  refused  ms per MB beside the parser");
  for (const [id, texts] of files) {
    const result = await measure(id, texts);
    results[id] = result;
    const { read, same, redacted, refused, cost } = result;
    const counts = [texts.length, read, same, redacted, refused]
      .map((count) => String(count).padStart(5))
      .join(" ");
    console.log(`${id.padEnd(19)} ${counts} ${cost.toFixed(0).padStart(8)}`);
  }
  return results;
}

interface Result {
  /** Files that were read as this format. */
  read: number;
  /** Files that were published and written again byte for byte. */
  same: number;
  /** Files that were written again with no difference but redacted places. */
  redacted: number;
  /** Files that were read but could not be published. */
  refused: number;
  cost: number;
}

type Texts = { name: string; text: string }[];

async function fixtures(): Promise<[string, Texts][]> {
  const found = new Map<string, Texts>();
  for (const file of await readdir(FIXTURES)) {
    const id = file.replace(/(-api)?\.\w+$/, "");
    found.set(id, [
      ...(found.get(id) ?? []),
      { name: file, text: await readFile(join(FIXTURES, file), "utf8") },
    ]);
  }
  return [...found];
}

async function realFiles(folder: string): Promise<[string, Texts][]> {
  const ids = (await readdir(folder)).filter((id) => formatOf(id) !== null);
  return Promise.all(
    ids.map(async (id): Promise<[string, Texts]> => {
      const names = await readdir(join(folder, id), { recursive: true });
      const texts = names
        .filter((name) => /\.\w+$/.test(name) && !name.endsWith("SOURCES.txt"))
        .map(async (name) => ({ name, text: await readFile(join(folder, id, name), "utf8") }));
      return [id, await Promise.all(texts)];
    }),
  );
}

async function measure(id: string, texts: Texts): Promise<Result> {
  const result: Result = { read: 0, same: 0, redacted: 0, refused: 0, cost: 0 };
  const nameOf = (name: string) => (id === "skill" ? "SKILL.md" : name);
  for (const { name, text } of texts) {
    const read = await readForeign(text, nameOf(name));
    const [document] = read.ok && read.value.format === id ? read.value.documents : [];
    if (document === undefined) continue;
    result.read += 1;
    if (document.payload.source_text === undefined) continue;
    const { title, tags, payload } = document;
    const description = document.description ?? "";
    const { publication, residualSecrets, exceeded } = await redactPublication({
      ...{ title, description, tags, thumbnail_url: null, payload, items: [] },
    });
    const written = writeForeign(id, { ...document, payload: publication.payload });
    if (exceeded !== null || residualSecrets.length > 0) result.refused += 1;
    else if (written?.text === text) result.same += 1;
    else result.redacted += 1;
  }
  result.cost = await costOf(id, texts, nameOf);
  return result;
}

/**
 * Returns by how much Keyhub's reader is slower than the bare parser, in milliseconds per million characters. It takes the minimum of each
 * over ROUNDS rounds, in which the two alternate.
 */
async function costOf(id: string, texts: Texts, nameOf: (name: string) => string): Promise<number> {
  const parse = PARSERS[formatOf(id)?.syntax ?? "markdown"];
  const own = texts.filter(({ text }) => text.length > 0);
  const length = own.reduce((sum, { text }) => sum + text.length, 0);
  const times = Math.max(1, Math.round(LENGTH / Math.max(1, length)));
  let [parser, reader] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round += 1) {
    let start = performance.now();
    for (let n = 0; n < times; n += 1) for (const { text } of own) attempt(() => parse(text));
    parser = Math.min(parser, performance.now() - start);
    start = performance.now();
    for (let n = 0; n < times; n += 1)
      for (const { name, text } of own) await readForeign(text, nameOf(name));
    reader = Math.min(reader, performance.now() - start);
  }
  return ((reader - parser) * 1_000_000) / (length * times);
}

const PARSERS: Record<Syntax, (text: string) => unknown> = {
  json: JSON.parse,
  yaml: (text) => parseYaml(text),
  csv: (text) => papa.parse(text),
  markdown: () => null,
};

function attempt(work: () => unknown): void {
  try {
    work();
  } catch {
    // The file is not valid in its own syntax, so its tool could not read it either.
  }
}
