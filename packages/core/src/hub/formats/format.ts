import type { AssetType, Payload } from "../assets.ts";

/** The syntax of a file's text. */
export type Syntax = "json" | "yaml" | "markdown" | "csv";

/** A parsed file of another tool. */
export interface ForeignFile {
  text: string;
  /** The name without folders; null if nobody gave one. */
  filename: string | null;
  syntax: Syntax;
  /** JSON or YAML: the value. Markdown: `{front, body}`, where `front` is null if the file has none. CSV: the rows, as lists of texts. */
  value: unknown;
}

/** An asset in a file of another tool. Its texts are unchanged from the file; `readForeign` cleans and shortens them. */
export interface ForeignItem {
  title?: unknown;
  description?: unknown;
  tags?: unknown;
  /** The author that the file names. */
  author?: unknown;
  payload: Payload;
  /** The `source_text` to keep. Absent: the whole file, which has only this item. Null: no text, because the payload has the whole item. */
  text?: string | null;
}

/** Something that an asset of another tool needs before it can run. The kind `license` is different: it is the license in the file. */
export interface Requirement {
  kind: "credential" | "model" | "package" | "setting" | "version" | "license";
  name: string;
}

/** The file format of one tool. registry.ts lists all of them. */
export interface Format {
  /** The value of `source_format`. */
  id: string;
  /** The usual name of the format: "n8n workflow". */
  name: string;
  assetType: AssetType;
  syntax: Syntax;
  /** The ending of a written file, with the dot. */
  extension: string;
  /** The name of a written file, if the tool requires one. */
  filename?: string;
  detect(file: ForeignFile): boolean;
  read(file: ForeignFile): ForeignItem[];
  /**
   * The private places of every file of this format: publications empty them, whatever they
   * hold. A place is a path with `*` for one element or member, and `**` for any depth.
   */
  private: readonly string[];
  requires(value: unknown): Requirement[];
  /** Writes an asset that has no `source_text` of this format. Absent if the format can write only assets that have one. */
  write?(asset: { title: string; description: string | null; payload: Payload }): string;
}
