import { expect, test } from "vitest";
import { foldersTwice, oneWord, typesTwice } from "../support/one-word.ts";

test("a type that two files export is named; what each handler needs is not", () => {
  const sources = new Map([
    ["a/lease.ts", "export interface Lease {}\nexport type Wait = number;\n"],
    ["b/lease.ts", "export class Lease {}\ninterface Wait {}\n"],
    ["one/handler.ts", "export interface Dependencies {}\n"],
    ["two/handler.ts", "export interface Dependencies {}\n"],
  ]);
  expect(typesTwice(sources)).toEqual([
    "the type Lease is exported by a/lease.ts and b/lease.ts: give one another name",
  ]);
});

test("a folder name that stands for several folders is explained in the glossary, and no other one is", () => {
  const files = ["core/src/keys/a.ts", "web/src/keys/b.ts", "core/src/formats/c.ts", "web/src/formats/d.ts"];
  const glossary = "- **`src/`**: source code\n- **`keys/`**: rotation\n- **`hub/`**: the gallery\n";
  expect(foldersTwice(files, glossary)).toEqual([
    "the folder name formats stands for core/src/formats and web/src/formats: rename one, or explain it in the glossary",
    "the glossary explains the folder name hub, which is not used twice",
  ]);
});

test("types and folders of this repository keep to it", async () => {
  expect(await oneWord.run()).toBeUndefined();
});
