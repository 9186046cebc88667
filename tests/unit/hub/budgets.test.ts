import { describe, expect, test } from "vitest";
import {
  ambiguousJson,
  countValues,
  exportItem,
  hostileFaults,
  JSON_KEYS,
  JSON_VALUES,
  KEY_LENGTH,
  normaliseTags,
  parseImportRequest,
  parsePublishRequest,
  readArchive,
  redactPublication,
  slugify,
  tooManyValues,
  warningsOfDocument,
} from "../../../packages/core/src/hub/index.ts";
import { classify, parseReportRequest, readWait } from "../../../packages/core/src/keys/index.ts";
import { redact, residualSecrets } from "../../../packages/core/src/redact/index.ts";
import { assetOf, fileAround } from "../../bench/hostile/documents.ts";
import { generate, randomFrom } from "../../fixtures/redact/generate.ts";
import { expectLinear } from "../../support/cost.ts";

const random = randomFrom(5);
const secret = () => generate("ghp_{a:36}", random);
const times = (unit: string) => (size: number) => unit.repeat(Math.ceil(size / unit.length));
const publication = (payload: Record<string, unknown>) => ({
  ...{ title: "t", description: "d", tags: [], thumbnail_url: null, payload, items: [] },
});

describe("work grows with the bytes", () => {
  test.each([
    ["braces and a name without an end", times("{{KEY")],
    ["one long name behind braces", (size: number) => `{{${"KEY".repeat(size / 3)}`],
    ["one long name behind a bracket", (size: number) => `<${"KEY".repeat(size / 3)}`],
    ["one long name behind a dollar", (size: number) => `\${${"KEY".repeat(size / 3)}`],
    ["braces and spaces", (size: number) => `{{${" ".repeat(size)}`],
  ])("warnings of an import: %s", (_, make) => {
    expectLinear(
      (size) => assetOf("template", make(size)),
      120_000,
      (document) => warningsOfDocument(document),
    );
  });

  test("a tag of combining marks, in and out of their order", () => {
    const make = (size: number) => [`a${"\u0315".repeat(size / 2)}${"\u0316".repeat(size / 2)}`];
    expectLinear(make, 64_000, (tags) => normaliseTags(tags));
    expect(normaliseTags(make(300))).toMatchObject({ ok: false, faults: [{ code: "too_big" }] });
    // The tag has 128 characters as it is sent, and up to 256 are read. Composed (NFC), it has 64 characters, the limit of a tag.
    expect(normaliseTags(["e\u0301".repeat(64)])).toMatchObject({ ok: true });
  });

  test("a title of combining marks", () => {
    const make = (size: number) => `a${"\u0315\u0316".repeat(size / 2)}`;
    expectLinear(make, 200_000, (title) => slugify(title, "template", random));
  });

  test("spaces inside JSON inside a text, beside a secret", () => {
    const make = (size: number) => JSON.stringify({ a: `x${" ".repeat(size)}x`, password: "hunter2!x9" });
    expectLinear(make, 60_000, (text) => redact(text));
  });

  test.each([
    [
      "a text as the body of an import",
      (size: number) => "a".repeat(size),
      (body: string) => parseImportRequest(body, null),
    ],
    ["quotes and escapes", times('"\\\\'), (text: string) => ambiguousJson(text, 0)],
    [
      "a message",
      times("billing "),
      (text: string) => classify({ status: "fail", errorCode: 429, errorMessage: text }),
    ],
    ["a code", times("[4"), (text: string) => classify({ status: "fail", errorCode: text })],
    ["a wait", times("9"), (text: string) => readWait(text, text)],
  ])("%s", (_, make, work) => {
    expectLinear(make, 1_000_000, work);
  });

  test("a report and a publication with lists in every field", () => {
    const make = (size: number) => JSON.parse(`[${"[],".repeat(size / 3)}0]`);
    expectLinear(make, 200_000, (list) =>
      parseReportRequest({ status: list, error_code: list, lease_id: list }),
    );
    expectLinear(make, 200_000, (list) =>
      parsePublishRequest({ title: list, tags: list, items: list, x: list }),
    );
  });
});

describe("values are counted before anything is made of them", () => {
  const list = (length: number) => `[${"[],".repeat(length - 2)}0]`;

  test("a text with too many is not parsed", () => {
    expect(tooManyValues(list(JSON_VALUES))).toBeNull();
    expect(tooManyValues(list(JSON_VALUES + 1))).toMatchObject({ code: "too_many_values" });
    expect(tooManyValues(`["${",".repeat(2 * JSON_VALUES)}"]`)).toBeNull();
    expect(tooManyValues(`["\\\\\\"${"[".repeat(2 * JSON_VALUES)}"]`)).toBeNull();
  });

  test("nor is one with too many different keys; the same key again is none", () => {
    const keyed = (names: number) =>
      `{"a":[${Array.from({ length: 1.5 * names }, (_, n) => `{"member number ${n % names}":1}`).join(",")}]}`;
    expect(tooManyValues(keyed(JSON_KEYS - 1))).toBeNull();
    expect(tooManyValues(keyed(JSON_KEYS + 50))).toMatchObject({ code: "too_many_keys" });
    const numbered = Array.from({ length: JSON_KEYS + 1 }, (_, n) => `{"${n % 7} is a number of its own":1}`);
    expect(tooManyValues(`{"a":[${numbered.join(",")}]}`)).toMatchObject({ code: "too_many_keys" });
    const shortest = Array.from({ length: JSON_KEYS + 1 }, () => '"7":1');
    expect(tooManyValues(`{${shortest.join(",")}}`)).toMatchObject({ code: "too_many_keys" });
    // A text in a list, or one that no colon follows, is not a key.
    const texts = Array.from({ length: 2 * JSON_KEYS }, (_, n) => `"a text of the number ${n}"`);
    expect(tooManyValues(`{"a":[${texts.join(",")}]}`)).toBeNull();
  });

  test("nor is a value walked any further, and the fault names the limit", () => {
    const value = JSON.parse(list(JSON_VALUES + 1));
    const [fault, ...others] = hostileFaults(value, "payload");
    expect(fault).toEqual({
      path: "payload",
      code: "too_many_values",
      message: `must have at most ${JSON_VALUES} values`,
    });
    expect(others).toEqual([]);
    expect(hostileFaults(JSON.parse(list(JSON_VALUES)))).toEqual([]);
    expect(countValues(JSON.parse(list(1000)))).toBe(1000);
    expect(countValues({ a: [1, { b: null }] })).toBe(5);
  });

  test("a member that a file does not have is refused by name, and not walked", () => {
    const nested = JSON.parse(fileAround("[[[1e400]]]", "unknown"));
    const read = readArchive(nested, "document");
    expect(read).toMatchObject({ ok: false, faults: [{ path: "document.unknown", code: "unknown_field" }] });
    const keys = JSON.parse('{"__proto__": {"a": 1}}');
    expect(readArchive(keys)).toMatchObject({ faults: [{ code: "invalid_key" }] });
  });
});

describe("paths and receipts are bounded", () => {
  const key = "k".repeat(100_000);

  test("a long key is a fault, whose path does not repeat it", () => {
    expect(hostileFaults({ [key]: 1 }, "payload")).toEqual([
      { path: "payload", code: "invalid_key", message: `has a key of more than ${KEY_LENGTH} characters` },
    ]);
    expect(hostileFaults({ ["k".repeat(KEY_LENGTH)]: "\0" })[0]?.path).toBe(`${"k".repeat(100)}…`);
    expect(hostileFaults({ ["k".repeat(KEY_LENGTH)]: 1 })).toEqual([]);
  });

  test("a receipt holds a hundred characters of each key on its way, and a thousand in all", () => {
    const [short] = redact({ [key]: { password: "hunter2!x9" } }).redactions;
    expect(short?.path).toBe(`${"k".repeat(100)}….password`);
    let value: unknown = { password: "hunter2!x9" };
    for (let n = 0; n < 60; n++) value = { [key]: value };
    let kept: unknown = secret();
    for (let n = 0; n < 60; n++) kept = { [key]: kept };
    expect(redact(value).redactions[0]?.path.length).toBe(1_001);
    expect(residualSecrets(kept)[0]?.length).toBe(1_001);
  });

  test("beyond 5,000 things taken out, a publication is refused and the limit named", async () => {
    const numbers = (length: number) => ({ variables: { password: Array.from({ length }, () => 12345678) } });
    const fine = await redactPublication(publication(numbers(5_000)));
    expect([fine.exceeded, fine.redactions.length]).toEqual([null, 5_000]);
    const { exceeded, redactions } = await redactPublication(publication(numbers(5_001)));
    expect(redactions.length).toBe(5_000);
    const nodes = Array.from({ length: 6_000 }, () => ({ password: secret() }));
    expect((await redactPublication(publication({ nodes }))).exceeded).toMatchObject({
      code: "too_many_secrets",
    });
    expect(exceeded).toMatchObject({ code: "too_many_secrets", message: expect.stringContaining("5000") });
    const row = { id: "00000000-0000-4000-8000-000000000001", name: "n", ...numbers(5_001) };
    expect(await exportItem({ asset_type: "template", row })).toMatchObject({
      ok: false,
      faults: [{ code: "too_many_secrets" }],
    });
  });

  test("a kit whose first part takes too much is refused, and no secret of this or a later part leaves", async () => {
    const text = (n: number) => `password=hunter2!x9${n} `.repeat(12_000);
    const payload = { content: [...Array.from({ length: 20 }, (_, n) => text(n)), secret()] };
    const item = { asset_type: "template" as const, ref_id: "r", title: "t", payload: { content: secret() } };
    const kit = { ...publication(payload), items: [item, item] };
    const clean = await redactPublication(kit as Parameters<typeof redactPublication>[0]);
    expect(clean.exceeded).toMatchObject({ path: "", code: expect.stringMatching(/^too_m/) });
    expect(JSON.stringify(clean.publication)).not.toContain("ghp_");
  });

  test.each([
    ["letters beyond the first plane", "-\ud835\udc1a"],
    ["values of credentials within each other", `password=${"{{x}}".repeat(50)},`],
  ])("%s count by what they take", (_, unit) => {
    const text = unit.repeat(250_000 / unit.length);
    const kit = Array.from({ length: 20 }, (_, n) => `${n} ${text}`);
    expect(redact(kit).exceeded).toMatchObject({ code: "too_much_to_read" });
    expect(redact(kit.slice(0, 2)).exceeded).toBeUndefined();
  });

  test("a text is read once, however often it comes", () => {
    const text = Array.from({ length: 40_000 }, (_, n) => `word${n}`).join(" ");
    const value = Array.from({ length: 24 }, () => `${text}`);
    expect(redact(value).exceeded).toBeUndefined();
    const different = Array.from({ length: 24 }, (_, n) => `${text} ${n}`);
    expect(redact(different).exceeded).toMatchObject({ code: "too_much_to_read" });
  });
});

describe("redaction never throws", () => {
  test.each([300, 3_000, 6_000, 200_000])("JSON %i deep inside a text", (depth) => {
    const bare = `${"[".repeat(depth)}${"]".repeat(depth)}`;
    const hidden = secret();
    const held = `${"[".repeat(depth)}"${hidden}",{"password":"hunter2!x9"}${"]".repeat(depth)}`;
    for (const value of [bare, held, { content: held }, JSON.stringify(held)]) {
      const { value: clean } = redact(value);
      expect(JSON.stringify(clean)).not.toContain(hidden);
      expect(redact(clean).redactions).toEqual([]);
      expect(residualSecrets(clean)).toEqual([]);
    }
  });
});
