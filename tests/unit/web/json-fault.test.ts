import { expect, test } from "vitest";
import { jsonFault } from "../../../packages/web/src/app/editor/json-fault.ts";

test.each(["[]", ' {"a": [1, -2.5e3, "\\u00e9\\n", true, null, {}]}\n', '"x"', "0", '"\u007f"'])(
  "%j is JSON",
  (text) => {
    expect(jsonFault(text)).toBeNull();
  },
);

test.each([
  ["", "Line 1, column 1: a value is missing here."],
  ['[\n  {"id": "a"}\n  {"id": "b"}\n]', "Line 3, column 3: a comma or ] is missing here."],
  ['{"a": 1,\n}', "Line 2, column 1: there is one comma too many before this }."],
  ["[1,]", "Line 1, column 4: there is one comma too many before this ]."],
  ["[,1]", "Line 1, column 2: a value is missing here."],
  ['{"a" 1}', "Line 1, column 6: a colon (:) is missing here."],
  ['{"a": }', "Line 1, column 7: a value is missing here."],
  ["{a: 1}", "Line 1, column 2: a name in double quotes is missing here."],
  ["{'a': 1}", "Line 1, column 2: a name in double quotes is missing here."],
  ["['a']", "Line 1, column 2: this is not a value; a text needs double quotes."],
  ["[01]", "Line 1, column 2: this is not a value; a text needs double quotes."],
  ["[truely]", "Line 1, column 2: this is not a value; a text needs double quotes."],
  ['["a\nb"]', "Line 1, column 2: this text has no end in its line."],
  ['{"a": 1', "Line 1, column 8: a comma or } is missing here."],
  ["[1}", "Line 1, column 3: a comma or ] is missing here."],
  ["[] []", "Line 1, column 4: nothing may follow here."],
])("%j is not", (text, message) => {
  expect(jsonFault(text)?.message).toBe(message);
});

test("a fault is found in a text of the largest size, and at any depth", () => {
  const long = `["${"a".repeat(1024 * 1024)}", ?]`;
  expect(jsonFault(long)?.at).toBe(long.indexOf("?"));
  const deep = "[".repeat(100_000);
  expect(jsonFault(deep)?.at).toBe(deep.length);
});
