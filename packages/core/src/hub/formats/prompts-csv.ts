import papa from "papaparse";
import type { ForeignItem, Format } from "./format.ts";
import { list, text } from "./values.ts";

const TITLES = ["act", "title", "name", "app"];
const CONTENTS = ["prompt", "system_prompt", "content", "text"];
/** How many characters of a prompt replace a missing title. */
const LETTERS = 60;

/** Reads the rows of a CSV text and detects its separator. */
export function readCsv(source: string): string[][] {
  return papa.parse<string[]>(source, { skipEmptyLines: "greedy" }).data;
}

const written = (cells: readonly string[]) =>
  cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",");

/** Reads prompts.csv of awesome-chatgpt-prompts and lists of the same form: each row has a title (`act`) and a prompt. */
export const promptsCsv: Format = {
  id: "prompts-csv",
  name: "list of prompts (CSV)",
  assetType: "template",
  syntax: "csv",
  extension: ".csv",
  detect: ({ value }) => columnsOf(value) !== null,
  read: ({ value }) => {
    const columns = columnsOf(value);
    if (columns === null) return [];
    return list(value)
      .slice(1)
      .flatMap((row): ForeignItem[] => {
        const content = text(list(row)[columns.content]);
        if (content.trim() === "") return [];
        const tag = text(list(row)[columns.tag]);
        return [
          {
            title: text(list(row)[columns.title]) || content.trim().slice(0, LETTERS),
            tags: tag && tag.length <= 64 && !/^(true|false)$/i.test(tag) ? [tag] : [],
            author: text(list(row)[columns.author]),
            payload: { content, variables: [] },
            // Keeps no source text, because `content` is the whole prompt of the row.
            text: null,
          },
        ];
      });
  },
  private: [],
  requires: () => [],
  write: ({ title, payload }) =>
    `${written(["act", "prompt"])}\n${written([title, text(payload.content)])}\n`,
};

/** Returns the positions of the columns; null if the first row names no column for prompts. */
function columnsOf(value: unknown) {
  const names = list(list(value)[0]).map((name) => text(name).trim().toLowerCase());
  const title = names.findIndex((name) => TITLES.includes(name));
  const content = names.indexOf(CONTENTS.find((name) => names.includes(name)) ?? "prompt");
  // Any table may have a column `content` or `text`. A list of prompts also has a title, or its column is named `prompt`.
  if (content === -1 || (title === -1 && names[content] !== "prompt")) return null;
  return {
    ...{ title, content },
    tag: names.findIndex((name) => name === "category" || name === "type" || name === "tag"),
    author: names.findIndex((name) => name === "contributor" || name === "author"),
  };
}
