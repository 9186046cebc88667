import { strToU8, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { textFilesOf } from "../../../packages/web/src/app/import/text-files.ts";
import { withoutStaleSource } from "../../../packages/web/src/app/store/store.ts";

const zip = (files: Record<string, Uint8Array | string>, name = "a.zip") =>
  new File(
    [
      zipSync(
        Object.fromEntries(
          Object.entries(files).map(([at, held]) => [at, typeof held === "string" ? strToU8(held) : held]),
        ),
        // The fastest compression, because a bomb has many bytes.
        { level: 1 },
      ) as Uint8Array<ArrayBuffer>,
    ],
    name,
  );
const namesIn = async (file: File) => (await textFilesOf(file)).map(({ name }) => name);

describe("the files of an import", () => {
  test("a text file is itself", async () => {
    expect(await textFilesOf(new File(["{}"], "a.json"))).toEqual([{ name: "a.json", text: "{}" }]);
  });

  test("a zip, also under another name, is its text files, without their folders", async () => {
    const files = {
      "flows/a.json": "{}",
      "b.yml": "b: 1",
      "picture.png": "x",
      "__MACOSX/flows/._a.json": "x",
    };
    expect(await textFilesOf(zip(files, "flows"))).toEqual([
      { name: "a.json", text: "{}" },
      { name: "b.yml", text: "b: 1" },
    ]);
  });

  test("UTF-16 that says so is read, and what is no UTF-8 is refused", async () => {
    const wide = new File([new Uint8Array([0xff, 0xfe, 123, 0, 125, 0])], "a.json");
    expect(await textFilesOf(wide)).toEqual([{ name: "a.json", text: "{}" }]);
    await expect(textFilesOf(new File([new Uint8Array([35, 32, 233, 10])], "a.md"))).rejects.toThrow(/UTF-8/);
  });

  test("a skill is its SKILL.md", async () => {
    const files = { "notes/SKILL.md": "x", "notes/references/style.md": "x", "other.md": "x" };
    expect(await namesIn(zip(files))).toEqual(["SKILL.md", "other.md"]);
  });

  test("a way out of the folder leads nowhere", async () => {
    expect(await namesIn(zip({ "../../etc/passwd.json": "{}", "..\\b.json": "{}" }))).toEqual([
      "passwd.json",
      "b.json",
    ]);
  });

  test.each([
    ["a bomb", () => zip({ "a.json": new Uint8Array(51 * 1024 * 1024) }), /larger than 50 MB/],
    [
      "too many files",
      () => zip(Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`${n}.json`, "{}"]))),
      /more than 500 files/,
    ],
    ["nothing to read", () => zip({ "a.png": "x" }), /no file that can be imported/],
    [
      "half a zip",
      () => new File([new Uint8Array([80, 75, 3, 4, 1, 2, 3])], "a.zip"),
      /zip file cannot be read/,
    ],
    ["a large text", () => new File(["x".repeat(8 * 1024 * 1024)], "a.json"), /larger than 7 MB/],
  ])("%s is refused with a sentence", async (_, make, says) => {
    await expect(textFilesOf(make())).rejects.toThrow(says);
  });

  test("a zip whose directory says less than it holds gives no more than that", async () => {
    const file = zip({ "a.json": "x".repeat(100_000) });
    const bytes = new Uint8Array(await file.arrayBuffer());
    const view = new DataView(bytes.buffer);
    // Each entry of the central directory (signature PK 1 2) gets a false size of 10 bytes.
    for (let at = 0; at < bytes.length - 28; at += 1)
      if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, 10, true);
    const read = await textFilesOf(new File([bytes], "a.zip")).catch(() => []);
    for (const { text } of read) expect(text.length).toBeLessThanOrEqual(10);
  });
});

describe("a file of another tool that an item was read from", () => {
  const before = { name: "A", description: null, content: "x", source_format: "skill", source_text: "x" };

  test("stays with a new name, and goes with other content", () => {
    expect(withoutStaleSource(before, { ...before, name: "B", description: "b" })).toHaveProperty(
      "source_text",
    );
    const { source_format: _, source_text: __, ...rest } = before;
    expect(withoutStaleSource(before, { ...before, content: "y" })).toEqual({ ...rest, content: "y" });
  });
});
