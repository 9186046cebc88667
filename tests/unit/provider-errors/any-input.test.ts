import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { classify, readWait } from "../../../packages/core/src/keys/index.ts";
import { expectCost } from "../../support/cost.ts";

describe("any input", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.json(),
    fc
      .array(fc.constantFrom(..."{}[]'\":,\\ ", "error", "api key", "429", "<html", "b'", "None", "\\u00"), {
        maxLength: 300,
      })
      .map((parts) => parts.join("")),
  );
  test("never throws; a logged code is a short number or a known name", () => {
    fc.assert(
      fc.property(
        fc.oneof(text, fc.double(), fc.integer(), fc.constant(null)),
        text,
        (errorCode, errorMessage) => {
          const { code } = classify({ status: "fail", errorCode, errorMessage });
          expect(code === null || /^\d{1,5}$|^[A-Za-z][\w/]{2,50}$/.test(code)).toBe(true);
        },
      ),
    );
  });

  /** The most expensive bodies at the size limit, compared with bodies of a quarter of that size: linear work takes 4 times as long. */
  test.each<[string, (size: number) => string]>([
    ["opening braces", (size) => "{'a".repeat(size / 3)],
    ["deep objects", (size) => '{"a":'.repeat(size / 5)],
    ["lists of objects", (size) => "[{'a".repeat(size / 4)],
    ["backslashes", (size) => `{"a":"${"\\".repeat(size)}`],
    ["spaces", (size) => " ".repeat(size)],
    ["tags", (size) => "<script".repeat(size / 7)],
    ["digits after a verb", (size) => `retry ${"1".repeat(size)}`],
    ["verbs", (size) => "try again ".repeat(size / 10)],
    ["durations", (size) => `retry in ${"1h ".repeat(size / 3)}`],
    [
      "members",
      (size) =>
        JSON.stringify(Object.fromEntries(Array.from({ length: size / 12 }, (_, n) => [`k${n}`, "message"]))),
    ],
    [
      "nested texts",
      (size) => JSON.stringify({ message: JSON.stringify({ message: "{'a".repeat(size / 4) }) }),
    ],
    ["one line", (size) => `Error: ${"x".repeat(size)}`],
    ["elements", (size) => "<?xml><a>".repeat(size / 9)],
    ["words of a fault", (size) => "limits of invalid keys ".repeat(size / 23)],
    ["dotted names", (size) => "aaaa.".repeat(size / 5)],
  ])("%s are read in linear time", (_, make) => {
    const read = (errorMessage: string) => () => {
      classify({ status: "fail", errorCode: errorMessage, errorMessage });
      readWait(errorMessage, errorMessage);
    };
    const [small, large] = [make(8_192), make(32_768)];
    read(large)();
    expectCost(read(large), read(small), 10);
    // Text beyond the part that is read costs next to nothing.
    expectCost(read(make(524_288)), read(large), 10);
  });
});
