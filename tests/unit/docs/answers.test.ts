import { describe, expect, test } from "vitest";
import { mismatch, parseShown } from "../../support/docs/answers.ts";

const id = "ea439bb7-5a50-48d8-963f-10e25aa8e350";
const other = "d6e42173-e149-4efb-a095-5fdc27a77162";

describe("an answer as a page shows it", () => {
  test.each([
    ["itself", '{"a": [1, "x", null]}', { a: [1, "x", null] }],
    ["another id, time and hash", `{"id": "${id}"}`, { id: other }],
    ["another time", '{"at": "2026-11-20T13:15:05.702113+00:00"}', { at: "2026-12-01T00:00:00Z" }],
    ["any value for …", '{"a": "…", "b": "…"}', { a: { deep: 1 }, b: null }],
    ["any text for … in it", '{"a": "sk-…-end"}', { a: "sk-1\n2-end" }],
    ["further members", '{\n"a": 1,\n…\n}', { a: 1, b: 2, c: 3 }],
    ["further members in the middle", '{\n"a": 1,\n…\n"c": 3\n}', { a: 1, b: 2, c: 3 }],
    ["further elements", "[\n1,\n…\n]", [1, 2, 3]],
    ["elements behind the dots", "[\n1,\n…\n9\n]", [1, 2, 3, 9]],
  ])("fits %s", (_what, shown, real) => {
    expect(mismatch(parseShown(shown), real)).toBeUndefined();
  });

  test.each([
    ["another value", '{"a": 1}', { a: 2 }, "answer.a"],
    ["another type", '{"a": "1"}', { a: 1 }, "answer.a"],
    ["a text for an id", `{"id": "${id}"}`, { id: "x" }, "answer.id"],
    ["a member that is missing", '{\n"a": 1,\n…\n}', { b: 1 }, "answer.a is missing"],
    ["a member that is not shown", '{"a": 1}', { a: 1, b: 2 }, "answer.b is not shown"],
    ["fewer elements", "[\n1,\n2,\n…\n]", [1], "answer: 1 elements"],
    ["more elements", "[1]", [1, 2], "answer: 2 elements"],
    ["another end behind the dots", "[\n1,\n…\n9\n]", [1, 2, 8], "answer[2]"],
    ["another text around …", '{"a": "sk-…"}', { a: "pk-1" }, "answer.a"],
    ["a list for an object", '{"a": {}}', { a: [] }, "answer.a: no object"],
  ])("does not fit %s", (_what, shown, real, path) => {
    expect(mismatch(parseShown(shown), real)).toContain(path);
  });
});
