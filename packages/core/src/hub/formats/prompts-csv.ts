import papa from "papaparse";
import type { ForeignItem, Format } from "./format.ts";
import { list, text } from "./values.ts";

const TITLES = ["act", "title", "name", "app"];
const CONTENTS = ["prompt", "system_prompt", "content", "text"];
/** The letters of a prompt that stand in for a title. */
const LETTERS = 60;

/** The rows of a CSV text; the separator is found. */
export function readCsv(source: string): string[][] {
  return papa.parse<string[]>(source, { skipEmptyLines: "greedy" }).data;
}

const written = (cells: readonly string[]) =>
  cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",");

/** Learned from prompts.csv of awesome-chatgpt-prompts and lists in its form: a row has a title (`act`) and a prompt. */
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
            // One row of a list: the prompt is all that there is to keep.
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

/** The places of the columns; null where the first row names no prompt. */
function columnsOf(value: unknown) {
  const names = list(list(value)[0]).map((name) => text(name).trim().toLowerCase());
  const title = names.findIndex((name) => TITLES.includes(name));
  const content = names.indexOf(CONTENTS.find((name) => names.includes(name)) ?? "prompt");
  // Any table may have a content or a text; that of prompts has a title beside it, or says that it is one.
  if (content === -1 || (title === -1 && names[content] !== "prompt")) return null;
  return {
    ...{ title, content },
    tag: names.findIndex((name) => name === "category" || name === "type" || name === "tag"),
    author: names.findIndex((name) => name === "contributor" || name === "author"),
  };
}
