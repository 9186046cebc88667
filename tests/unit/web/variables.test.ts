import { describe, expect, test } from "vitest";
import {
  variableDescription,
  variableNames,
  variablesOfPrompt,
} from "../../../packages/web/src/app/editor/variables.ts";

const STORED = {
  content: "{{topic}} for {{reader}}",
  variables: [{ name: "topic", description: "what about", default: "rain" }, "reader", "spare"],
};
const asStored = (payload: Record<string, unknown>) => (name: string) => variableDescription(name, payload);

test("a prompt as it is stored keeps its list, to the letter", () => {
  expect(variablesOfPrompt(STORED.content, STORED, asStored(STORED))).toBe(STORED.variables);
  expect(variableNames(STORED.content, STORED)).toEqual(["topic", "reader", "spare"]);
});

test("a changed prompt has the variables of its text; those that stay keep their members", () => {
  const variables = variablesOfPrompt("{{ tone }}: {{topic}} {{topic}}", STORED, asStored(STORED));
  expect(variables).toEqual([{ name: "tone" }, STORED.variables[0]]);
  expect(variablesOfPrompt("Nothing to fill in.", STORED, asStored(STORED))).toEqual([]);
});

test("a description is set and taken away, and nothing else of a variable", () => {
  const described = (name: string) => (name === "reader" ? "who reads" : "");
  expect(variablesOfPrompt(STORED.content, STORED, described)).toEqual([
    { name: "topic", default: "rain" },
    { name: "reader", description: "who reads" },
    "spare",
  ]);
});

describe("a map", () => {
  const map = {
    content: "{{topic}} {{reader}}",
    variables: { topic: { default: "rain" }, reader: "who reads" },
  };

  test("stays a map", () => {
    expect(variableDescription("reader", map)).toBe("who reads");
    expect(variablesOfPrompt("{{reader}} {{tone}}", map, asStored(map))).toEqual({
      reader: "who reads",
      tone: {},
    });
    expect(variablesOfPrompt(map.content, map, () => "said")).toEqual({
      topic: { default: "rain", description: "said" },
      reader: { description: "said" },
    });
  });
});

test.each([null, undefined, 7, [null, 3, { title: "x" }]])("%j counts as no variables", (variables) => {
  const payload = { content: "", variables };
  expect(variablesOfPrompt("{{a}}", payload, () => "")).toEqual([{ name: "a" }]);
});
