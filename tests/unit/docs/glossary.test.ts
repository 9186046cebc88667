import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "../../support/cli.ts";
import { readPage } from "../../support/docs/pages.ts";

const glossary = readPage("docs/reference/glossary.md");
const sources = ["packages", "supabase/functions", "supabase/schemas", "docs"].flatMap((folder) =>
  readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(tsx?|sql|md|py)$/.test(name) && !/(^|\/)(node_modules|dist|\.[^/]+)\//.test(name))
    .map((name) => join(folder, name))
    .filter((name) => !name.endsWith("glossary.md"))
    .map((name) => readFileSync(join(repository, name), "utf8")),
);

const inLists = [...glossary.matchAll(/^- (\*\*.*)$/gm)].flatMap(([, entry = ""]) =>
  [...entry.matchAll(/\*\*(.+?)\*\*/g)].map(([, term = ""]) => term),
);
const named = inLists.filter((term) => term.startsWith("`")).map((term) => term.slice(1, -1));
// Names that end in a slash are folders. They are left out here, because support/one-word.ts checks folders.
const types = named.filter((name) => !name.endsWith("/"));
const terms = inLists.filter((term) => !term.startsWith("`"));

test("each term of the glossary is used", () => {
  const text = sources.join("\n");
  // A term may also be a part of an identifier, such as pool_availability.
  const unused = terms.filter((term) => !new RegExp(term.replace(/[- ]/g, "[-_ \n]?"), "i").test(text));
  expect(terms.length).toBeGreaterThan(40);
  expect(unused).toEqual([]);
});

test("each type of the glossary is one exported type", () => {
  const exported = sources.flatMap((text) =>
    [...text.matchAll(/^export (?:interface|type|class) (\w+)/gm)].map(([, name]) => name),
  );
  expect(types.length).toBeGreaterThan(10);
  for (const type of types)
    expect(
      exported.filter((name) => name === type),
      type,
    ).toHaveLength(1);
});

test("each table of the database that clients reach is in the words of the glossary or its own page", () => {
  const all = sources.join("\n");
  const tables = [...all.matchAll(/^create table public\.(\w+)/gm)].map(([, name = ""]) => name);
  const explained = ["docs/reference/glossary.md", "docs/design/schema.md"].map(readPage).join("\n");
  expect(tables.length).toBeGreaterThan(20);
  expect([...new Set(tables)].filter((name) => !explained.includes(name))).toEqual([]);
});
