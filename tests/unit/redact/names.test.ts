import { expect, test } from "vitest";
import { classifyName } from "../../../packages/core/src/redact/names/classify.ts";
import { PASSWORD_WORDS, SECRET_WORDS } from "../../../packages/core/src/redact/names/lexicon.ts";

test("no word of the lists is dropped before it is looked up", () => {
  const dropped = [...SECRET_WORDS, ...PASSWORD_WORDS].filter((word) => classifyName(word) === "none");
  expect(dropped).toEqual([]);
});
