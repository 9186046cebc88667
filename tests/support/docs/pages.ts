import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../cli.ts";

/** A fenced block of a page. */
export interface Block {
  language: string;
  text: string;
  /** The line where it begins, for messages. */
  line: number;
}

/** Every page of the documentation, by its path in the repository. */
export const pages: string[] = [
  "README.md",
  "CONTRIBUTING.md",
  "AGENTS.md",
  ...readdirSync(join(repository, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file}`)
    .sort(),
];

export const readPage = (page: string): string => readFileSync(join(repository, page), "utf8");

export function blocksOf(page: string): Block[] {
  const text = readPage(page);
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    language: match[1] ?? "",
    text: match[2] ?? "",
    line: text.slice(0, match.index).split("\n").length,
  }));
}
