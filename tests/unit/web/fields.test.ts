import { expect, test } from "vitest";
import { FIELDS, readField } from "../../../packages/web/src/app/editor/fields.ts";

const preset = (key: string, text: string) => {
  const field = FIELDS.ai_preset.find((one) => one.key === key);
  if (!field) throw new Error(`there is no ${key}`);
  return readField(field, text);
};

test.each([
  ["temperature", "0", 0],
  ["temperature", "2", 2],
  ["temperature", "0.15", 0.15],
  ["temperature", "", null],
  ["topP", "1", 1],
  ["topK", "1", 1],
  ["maxOutputTokens", "2147483647", 2_147_483_647],
  ["thinkingBudget", "-1", -1],
  ["thinkingBudget", "0", 0],
  ["thinkingLevel", " a new one ", "a new one"],
])("%s takes %j", (key, text, value) => {
  expect(preset(key, text)).toEqual({ value });
});

test.each([
  ["temperature", "99", "It must be a number from 0 to 2."],
  ["temperature", "-0.1", "It must be a number from 0 to 2."],
  ["temperature", "?", "It must be a number from 0 to 2."],
  ["topP", "1.01", "It must be a number from 0 to 1."],
  ["topK", "0", "It must be a whole number, 1 or more."],
  ["topK", "1.5", "It must be a whole number, 1 or more."],
  ["maxOutputTokens", "-5", "It must be a whole number, 1 or more."],
  ["maxOutputTokens", "2147483648", "This is too large."],
  ["thinkingBudget", "-2", "It must be a whole number, -1 or more."],
])("%s does not take %j", (key, text, message) => {
  expect(preset(key, text)).toEqual({ fault: { message } });
});

test("every entry of a pipeline's lists has what links it", () => {
  const read = (key: string, text: string) => {
    const field = FIELDS.orchestration.find((one) => one.key === key);
    if (!field) throw new Error(`there is no ${key}`);
    return readField(field, text);
  };
  expect(read("edges", '[{"source": "a", "target": "b"}]')).toEqual({
    value: [{ source: "a", target: "b" }],
  });
  for (const [key, text, message] of [
    ["nodes", '[{"id": "a"}, {"label": "b"}]', "Entry 2 has no text “id”."],
    ["nodes", "[null]", "Entry 1 has no text “id”."],
    ["edges", '[{"from": "a", "to": "b"}]', "Entry 1 has no text “source”."],
    ["edges", '[{"source": "a", "target": 2}]', "Entry 1 has no text “target”."],
    ["stage_configs", '[{"nodeId": "a"}]', "Entry 1 has no text “node_id”."],
  ] as const)
    expect(read(key, text)).toEqual({ fault: { message } });
});
