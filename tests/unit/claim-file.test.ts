import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { claimFile } from "../../packages/local/src/processes/claim-file.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "keyhub-claim-"));
  file = join(folder, "record");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A file belongs to a living process unless its content is "dead". */
function refuseIfAlive(found: string): void {
  const content = readFileSync(found, "utf8");
  if (content !== "dead") throw new Error(`${content} lives`);
}

test("a living process keeps its file", () => {
  claimFile(file, "a", "first", refuseIfAlive);
  expect(() => claimFile(file, "b", "second", refuseIfAlive)).toThrow("first lives");
  expect(readFileSync(file, "utf8")).toBe("first");
  expect(readdirSync(folder)).toEqual(["record"]);
});

test("of two that find the file of a dead process, only the first has it, and the second takes nothing away", () => {
  writeFileSync(file, "dead");
  let other = () => claimFile(file, "a", "first", refuseIfAlive);
  const claim = () =>
    claimFile(file, "b", "second", (found) => {
      refuseIfAlive(found);
      // The other process claims the file just after this one has found it dead.
      other();
      other = () => {};
    });
  expect(claim).toThrow("first lives");
  expect(readFileSync(file, "utf8")).toBe("first");
  expect(readdirSync(folder).sort()).toEqual(["record", "record.a"]);
  expect(readFileSync(join(folder, "record.a"), "utf8")).toBe("dead");
});

test("a file that cannot be written is named", () => {
  expect(() => claimFile(join(folder, "none", "record"), "a", "first", refuseIfAlive)).toThrow(
    /^cannot write \S+record: ENOENT/,
  );
});
