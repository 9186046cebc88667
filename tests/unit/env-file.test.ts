import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { publishEnvironment } from "../../packages/local/src/settings/env-file.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "keyhub-env-"));
  file = join(folder, "stack.env");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("the file of a killed run is replaced, and nothing of it is left", () => {
  writeFileSync(
    file,
    `# Written by npm start; removed when it stops. Run old of process ${process.pid}, another time\nA='1'\n`,
  );
  const { stop } = publishEnvironment(file, "new", { A: "2" });
  expect(readFileSync(file, "utf8")).toMatch(/Run new of process .*\nA='2'\n$/);
  expect(readdirSync(folder)).toEqual(["stack.env"]);
  stop();
  expect(readdirSync(folder)).toEqual([]);
});

test("the file of a running stack stays as it is", () => {
  const { stop } = publishEnvironment(file, "first", { A: "1" });
  expect(() => publishEnvironment(file, "second", { A: "2" })).toThrow("belongs to a stack that runs");
  expect(readFileSync(file, "utf8")).toContain("A='1'");
  stop();
});

test("a file that somebody has made since the start checked stays as it is", () => {
  writeFileSync(file, "MINE=1\n");
  expect(() => publishEnvironment(file, "new", { A: "2" })).toThrow("was not written by npm start");
  expect(readFileSync(file, "utf8")).toBe("MINE=1\n");
  expect(readdirSync(folder)).toEqual(["stack.env"]);
});
