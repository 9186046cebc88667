import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { generateSealPair, type Keyring, readKeyring } from "../../../packages/core/src/keys/seal.ts";
import { runToolHere } from "./run-here.ts";
import { runTool } from "./run-tool.ts";

const user = "0a1b2c3d-0000-4000-8000-00000000000a";
const args = ["--user", user];
const named = [...args, "--names"];
let keyring: Keyring;
let env: Record<string, string>;
beforeAll(async () => {
  const pair = await generateSealPair();
  env = { KEYHUB_SEAL_KEY: pair.sealKey };
  keyring = await readKeyring(JSON.stringify([pair.unsealKey]));
});

async function openAll(stdout: string, owner = user): Promise<(string | null)[]> {
  expect(stdout.endsWith("\n")).toBe(true);
  return Promise.all(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => keyring.open(line, owner)),
  );
}

describe("seal", () => {
  test("prints one text a line, in order, for that user alone", async () => {
    // In a process of its own, with a real pipe; the other tests call the tool in this process.
    const run = await runTool("seal", { args, env, input: "sk-one\nsk-two\nsk-three\n" });
    const kid = env.KEYHUB_SEAL_KEY?.split(".")[0];
    const stderr = `sealed to the pair ${kid} (KEYHUB_SEAL_KEY of the environment)\n`;
    expect(run).toMatchObject({ code: 0, stderr });
    expect(await openAll(run.stdout)).toEqual(["sk-one", "sk-two", "sk-three"]);
    expect(await openAll(run.stdout, "0a1b2c3d-0000-4000-8000-00000000000b")).toEqual([null, null, null]);
    expect(run.stdout).not.toContain("sk-");
  });

  test("the file that KEYHUB_ENV_FILE names comes before a shell that has read another, and has to be there", async () => {
    const [folder, other] = [await mkdtemp(join(tmpdir(), "keyhub-seal-")), await generateSealPair()];
    try {
      const file = join(folder, "production.env");
      await writeFile(file, `KEYHUB_SEAL_KEY=${env.KEYHUB_SEAL_KEY}\n`);
      const sourced = { KEYHUB_SEAL_KEY: other.sealKey, KEYHUB_ENV_FILE: file };
      const run = await runToolHere("seal", { args, env: sourced, input: "sk-one" });
      expect(await openAll(run.stdout)).toEqual(["sk-one"]);
      expect(run.stderr).toContain(`(KEYHUB_SEAL_KEY of ${file})`);
      const mistyped = { ...sourced, KEYHUB_ENV_FILE: `${file}x` };
      const refused = await runToolHere("seal", { args, env: mistyped, input: "sk-one" });
      expect(refused).toMatchObject({ code: 1, stdout: "" });
      expect(refused.stderr).toMatch(/production\.envx, which KEYHUB_ENV_FILE names, does not exist/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("trims blanks and line ends, skips empty lines, needs no last line end", async () => {
    const input = "\ufeff  sk-one \t\r\n\r\n   \n\n\tsk-two\r\nsk-three";
    const run = await runToolHere("seal", { args, env, input });
    expect(await openAll(run.stdout)).toEqual(["sk-one", "sk-two", "sk-three"]);
  });

  test("with --names prints each name, a tab and the text", async () => {
    const name = "n".repeat(199);
    const input = `\ufeffOpenAI main = sk-one\r\n\r\nGROQ_API_KEY=c2VjcmV0==\r\n${name}é={"a": "b=c"}`;
    const run = await runToolHere("seal", { args: named, env, input });
    const rows = run.stdout.trimEnd().split("\n");
    expect(rows.map((row) => row.split("\t")[0])).toEqual(["OpenAI main", "GROQ_API_KEY", `${name}é`]);
    const texts = rows.map((row) => `${row.split("\t")[1]}\n`).join("");
    expect(await openAll(texts)).toEqual(["sk-one", "c2VjcmV0==", '{"a": "b=c"}']);
  });

  test("takes the user in upper case and as --user=", async () => {
    const run = await runToolHere("seal", { args: [`--user=${user.toUpperCase()}`], env, input: "sk-one" });
    expect(await openAll(run.stdout)).toEqual(["sk-one"]);
  });

  test("takes 4096 characters and many lines", async () => {
    const keys = ["k".repeat(4096), ...Array.from({ length: 50 }, (_, index) => `sk-${index}`)];
    const run = await runToolHere("seal", { args, env, input: keys.join("\n") });
    expect(await openAll(run.stdout)).toEqual(keys);
  });

  test.each([
    ["no --user", [], "SECRET", /--user is missing/],
    ["a --user that is no uuid", ["--user", "SECRET"], "SECRET", /--user is not a uuid/],
    ["--user without a value", ["--user"], "SECRET", /arguments are not valid/],
    ["a key among the arguments", [...args, "SECRET"], "SECRET", /arguments are not valid/],
    ["an unknown option", [...args, "--SECRET"], "SECRET", /arguments are not valid/],
    ["nothing", args, "", /nothing was read/],
    ["only blank lines", args, " \r\n\t\n\n", /nothing was read/],
    ["a line that is too long", args, `ok\n\n${"SECRET".repeat(683)}\n`, /line 3 is longer than 4096/],
    ["a control character", args, "ok\nSECRET\u0007SECRET", /line 2 holds control/],
    ["a tab inside", args, "SECRET\tSECRET", /line 1 holds control/],
    ["a carriage return inside", args, "SECRET\rSECRET", /line 1 holds control/],
    ["an invisible character", args, "SECRET\u200b", /line 1 holds control or invisible/],
    ["bytes that are no UTF-8", args, Buffer.from([83, 69, 67, 82, 69, 84, 0xff]), /line 1 is not UTF-8/],
    ["UTF-16", args, Buffer.from("SECRET", "utf16le"), /line 1 holds control/],
    ["a setting of an env file", args, "ok\n\nSECRET_1=sk-SECRET", /line 3 has the form NAME=key/],
    ["quotes behind a name", named, 'a=sk-1\nb="SECRET"', /line 2 has a key that holds blanks, commas or/],
  ])(
    "refuses %s: one line, exit 1, no text sealed, no key repeated",
    async (_what, given, input, message) => {
      const run = await runToolHere("seal", { args: given, env, input });
      expect(run).toMatchObject({ code: 1, stdout: "" });
      expect(run.stderr).toMatch(message);
      expect(run.stderr.trim().split("\n")).toHaveLength(1);
      expect(run.stderr).not.toContain("SECRET");
    },
  );

  test.each([
    ["missing", {}, /KEYHUB_SEAL_KEY is not set.*npm run keygen/],
    ["no seal key", { KEYHUB_SEAL_KEY: "SECRET" }, /KEYHUB_SEAL_KEY is not a seal key/],
  ])("refuses a KEYHUB_SEAL_KEY that is %s", async (_what, bad, message) => {
    const run = await runToolHere("seal", { args, env: bad, input: "sk-one" });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(message);
    expect(run.stderr).not.toMatch(/SECRET|sk-one/);
  });
});
