import type { AssetType, Payload } from "../assets.ts";

/** How the text of a file is written. */
export type Syntax = "json" | "yaml" | "markdown" | "csv";

/** A file of another tool, parsed. */
export interface ForeignFile {
  text: string;
  /** Without folders; null where nobody gave one. */
  filename: string | null;
  syntax: Syntax;
  /** JSON or YAML: the value. Markdown: `{front, body}`; `front` is null where the file has none. CSV: the rows, lists of texts. */
  value: unknown;
}

/** An asset in a file of another tool. Texts are as the file has them; `readForeign` cleans and cuts them. */
export interface ForeignItem {
  title?: unknown;
  description?: unknown;
  tags?: unknown;
  /** What the file says of its author. */
  author?: unknown;
  payload: Payload;
  /** The text of this item alone, where the file has several; null where the text is not kept, because the payload has all of it. */
  text?: string | null;
}

/** What has to be there before an asset of another tool runs; `license`: what its file says of the terms. */
export interface Requirement {
  kind: "credential" | "model" | "package" | "setting" | "version" | "license";
  name: string;
}

/** One tool's form of file. The entries stand in registry.ts. */
export interface Format {
  /** The value of `source_format`. */
  id: string;
  /** As people call it: "n8n workflow". */
  name: string;
  assetType: AssetType;
  syntax: Syntax;
  /** Of a written file, with the dot. */
  extension: string;
  /** Where the tool asks for one name of file. */
  filename?: string;
  detect(file: ForeignFile): boolean;
  read(file: ForeignFile): ForeignItem[];
  /**
   * The values that are private in any file of this kind, whatever they look like: members that hold something are emptied.
   * A path with `*` for each element or member, and `**` for any depth.
   */
  private: readonly string[];
  requires(value: unknown): Requirement[];
  /** Writes an asset that has no text of this format; absent where only what was read can be written. */
  write?(asset: { title: string; description: string | null; payload: Payload }): string;
}
