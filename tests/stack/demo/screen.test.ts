import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { openScreen } from "../../../packages/local/src/demo/screen.ts";
import { createPaint, type DemoKeyState, drawTable } from "../../../packages/local/src/demo/table.ts";

function fakeStream(isTTY: boolean, rows = 24) {
  const written: string[] = [];
  const stream = { isTTY, rows, write: (text: string) => written.push(text) > 0 };
  return { stream: stream as unknown as NodeJS.WriteStream, written };
}

test("a terminal is drawn over in place, cut to its height, and gets its cursor back", () => {
  const { stream, written } = fakeStream(true, 3);
  const screen = openScreen(stream, {});
  screen.draw(["a", "b", "c", "d"]);
  screen.draw(["e"]);
  screen.draw(["f"]);
  screen.close();
  screen.close();
  const plain = written.map((text) => text.replaceAll("\u001b[", "^"));
  expect(plain).toEqual([
    "^?25l",
    "^?7l\ra^K\nb^K\n^J^?7h",
    "^?7l^2A\re^K\n^J^?7h",
    "^?7l^1A\rf^K\n^J^?7h",
    "^?25h",
  ]);
  expect(screen.coloured).toBe(true);
});

test("colour stays out of where it is not wanted", () => {
  expect(openScreen(fakeStream(true).stream, { NO_COLOR: "1" }).coloured).toBe(false);
  const pipe = fakeStream(false);
  const screen = openScreen(pipe.stream, {});
  screen.draw(["a", "b"]);
  screen.close();
  expect(pipe.written).toEqual(["a\nb\n\n"]);
  expect(screen.coloured).toBe(false);
  expect(createPaint(false)("red", "x")).toBe("x");
});

test("the table fits a terminal of 80 columns and aligns, coloured or not", () => {
  const key: DemoKeyState = {
    key_name: "amber",
    priority: 10,
    state: "cooling_down",
    seconds_left: 86_400,
    consecutive_failures: 1_000,
    usage_count: 99_999,
    why: "quota_exhausted RESOURCE_EXHAUSTED",
    last_outcome: "quota_exhausted",
    last_error_code: "RESOURCE_EXHAUSTED",
    limited_models: null,
  };
  const states = [key, { ...key, state: "available", why: null, last_outcome: null, last_error_code: null }];
  const plain = drawTable(states, createPaint(false));
  expect(plain.every((line) => line.length <= 80)).toBe(true);
  expect(drawTable(states, createPaint(true)).map(stripVTControlCharacters)).toEqual(plain);
  expect(plain[1]).toMatch(/^amber +10 ○ cooling 86400 s/);
});
