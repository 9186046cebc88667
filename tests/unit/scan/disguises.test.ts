import { describe, expect, test } from "vitest";
import { scanComponent } from "../../../packages/core/src/scan/index.ts";
import { randomFrom } from "../../fixtures/redact/generate.ts";
import { drawDisguise } from "./disguises.ts";

describe("disguises of plain acts", () => {
  const random = randomFrom(34);
  const drawn = Array.from({ length: 400 }, () =>
    drawDisguise((list) => list[Math.floor(random() * list.length)] as never),
  );

  test("are found", () => {
    const missed = drawn.filter(
      ({ rule, source }) => !scanComponent(source).some((one) => one.rule === rule),
    );
    expect(missed.map(({ source }) => source)).toEqual([]);
  });

  test("have twins of the same shape that are not flagged", () => {
    expect(drawn.map(({ twin }) => twin).filter((twin) => scanComponent(twin).length > 0)).toEqual([]);
  });
});
