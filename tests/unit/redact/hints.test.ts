import { expect, test } from "vitest";
import { hintsOf, redact } from "../../../packages/core/src/redact/index.ts";
import { generate, randomFrom } from "../../fixtures/redact/generate.ts";

const random = randomFrom(41);
const word = () => generate("{a:20}7{a:19}", random);

test.each([
  [
    "a widget without a name",
    { nodes: [{ type: "Loader", widgets_values: [word(), "google/gemini", true] }] },
    "nodes.0.widgets_values.0",
  ],
  ["an element of a list", { args: ["--url", "https://x.example", word()] }, "args.2"],
  ["what is only called value", { rows: [{ name: "upstream", value: word() }] }, "rows.0.value"],
])("%s is a hint and stays", (_, value, path) => {
  expect(redact(value)).toEqual({ value, redactions: [] });
  expect(hintsOf(value)).toEqual([{ path, reason: "random_word" }]);
});

test.each([
  ["a name says what it is", { id: word(), revision: word() }],
  [
    "names of files, ids and hashes",
    { ids: [word()], files: [word()], hashes: [generate("{x:64}", random)] },
  ],
  [
    "words, uuids and sentences",
    { args: ["a-long-name-of-a-model-2024", generate("{uuid}", random), `run ${word()} now`] },
  ],
  ["ids of a provider", { args: [`file-${word()}`, `asst_${word()}`] }],
])("none: %s", (_, value) => {
  expect(hintsOf(value)).toEqual([]);
});

test("at most fifty are listed", () => {
  expect(hintsOf({ args: Array.from({ length: 80 }, word) })).toHaveLength(50);
});
