import { expect, test } from "vitest";
import { classifyName, splitWords } from "../../../packages/core/src/redact/names/classify.ts";
import { PASSWORD_WORDS, SECRET_WORDS } from "../../../packages/core/src/redact/names/lexicon.ts";
import { FOREIGN_KEYS, SECRET_ADJECTIVES } from "../../../packages/core/src/redact/names/lexicon-i18n.ts";

test("no word of the lists is dropped before it is looked up", () => {
  const dropped = [...SECRET_WORDS, ...PASSWORD_WORDS].filter((word) => classifyName(word) === "none");
  expect(dropped).toEqual([]);
});

test("the lists of other languages have each word in the form in which a name's words are looked up", () => {
  const words = [...FOREIGN_KEYS, ...SECRET_ADJECTIVES];
  expect(words.filter((word) => splitWords(word).join(" ") !== word)).toEqual([]);
  expect(classifyName("erişimanahtarı")).toBe("strong");
});
