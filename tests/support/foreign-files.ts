import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { readForeign } from "../../packages/core/src/hub/formats/index.ts";
import { type Archive, type Payload, redactPublication } from "../../packages/core/src/hub/index.ts";
import { repository } from "./cli.ts";

const folder = join(repository, "tests", "fixtures", "formats");
export const fixture = (name: string) => readFileSync(join(folder, name), "utf8");
export const nameOf = (file: string) => (file === "skill.md" ? "SKILL.md" : file);
/** Returns the format of a fixture from its file name. `-api` marks the form that the tool's API returns. */
export const formatIn = (file: string) => file.replace(/(-api)?\.\w+$/, "");
export const files = readdirSync(folder);

export async function read(file: string): Promise<Archive[]> {
  const found = await readForeign(fixture(file), nameOf(file));
  if (!found.ok) throw new Error(JSON.stringify(found.faults));
  expect(found.value.format).toBe(formatIn(file));
  return found.value.documents;
}

export async function published(document: Archive) {
  const { title, tags, payload } = document;
  const description = document.description ?? "";
  return redactPublication({ title, description, tags, thumbnail_url: null, payload, items: [] });
}

export const textOf = (payload: Payload) => String(payload.source_text);
