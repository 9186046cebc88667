import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "dotenv";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generateSealPair, readKeyring, sealKey } from "../../../packages/core/src/keys/seal.ts";
import { runToolHere } from "./run-here.ts";
import { runTool, settingsOf } from "./run-tool.ts";

const user = "0a1b2c3d-0000-4000-8000-000000000001";
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "keyhub-keygen-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("keygen", () => {
  test("prints a pair that works, as lines of an env file with a comment each", async () => {
    const run = await runTool("keygen");
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toMatch(
      /^# Public: .+\nKEYHUB_SEAL_KEY=\w+\.[\w-]{43}\n# Private: .*supabase secrets set.*\nKEYHUB_UNSEAL_KEYS=\[\{"kid":"\w+","key":"[\w-]{43}"\}\]\n$/,
    );
    const settings = parse(run.stdout);
    expect(settings).toEqual(settingsOf(run.stdout));
    const sealed = await sealKey(settings.KEYHUB_SEAL_KEY ?? "", user, "sk-tool");
    const keyring = await readKeyring(settings.KEYHUB_UNSEAL_KEYS ?? "");
    expect(await keyring.open(sealed, user)).toBe("sk-tool");
  });

  test("never makes the same pair twice", async () => {
    const [one, two] = [await runToolHere("keygen"), await runToolHere("keygen")];
    expect(one.stdout).not.toBe(two.stdout);
  });

  test("--add puts the new key before those of the named env file, else of the environment", async () => {
    const [inShell, inFile] = [(await generateSealPair()).unsealKey, (await generateSealPair()).unsealKey];
    const env = { KEYHUB_ENV_FILE: join(folder, "kept.env") };
    await writeFile(env.KEYHUB_ENV_FILE, `KEYHUB_UNSEAL_KEYS='${JSON.stringify([inFile])}'\n`);
    const added = settingsOf((await runToolHere("keygen", { args: ["--add"], env })).stdout);
    const list = JSON.parse(added.KEYHUB_UNSEAL_KEYS ?? "");
    expect(list.slice(1)).toEqual([inFile]);
    expect(list[0].kid).toBe(added.KEYHUB_SEAL_KEY?.split(".")[0]);
    const shell = { KEYHUB_UNSEAL_KEYS: JSON.stringify([inShell, inFile]) };
    for (const [given, kept] of [
      [{ ...env, ...shell }, [inFile]],
      [shell, [inShell, inFile]],
    ] as const) {
      const next = settingsOf((await runToolHere("keygen", { args: ["--add"], env: given })).stdout);
      expect(JSON.parse(next.KEYHUB_UNSEAL_KEYS ?? "").slice(1)).toEqual(kept);
    }
  });

  test("keeps no key unasked: neither the shell's nor the env file's", async () => {
    const old = JSON.stringify([(await generateSealPair()).unsealKey]);
    const file = join(folder, "sourced.env");
    await writeFile(file, `KEYHUB_UNSEAL_KEYS='${old}'\n`);
    for (const env of [{ KEYHUB_UNSEAL_KEYS: old }, { KEYHUB_ENV_FILE: file }]) {
      const alone = settingsOf((await runToolHere("keygen", { env })).stdout);
      expect(JSON.parse(alone.KEYHUB_UNSEAL_KEYS ?? "")).toHaveLength(1);
    }
  });

  test.each([
    ["--add without any keys", ["--add"], {}, /KEYHUB_UNSEAL_KEYS is not set/],
    [
      "keys that are no list",
      ["--add"],
      { KEYHUB_UNSEAL_KEYS: '{"kid":"a","key":"SECRET"}' },
      /is not a JSON list/,
    ],
    ["keys that are no JSON", ["--add"], { KEYHUB_UNSEAL_KEYS: "SECRET" }, /is not a JSON list/],
    ["an unknown option", ["--SECRET"], {}, /arguments are not valid/],
  ])("refuses %s in one line, without repeating it", async (_what, args, env, message) => {
    const run = await runToolHere("keygen", { args, env });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(message);
    expect(run.stderr.trim().split("\n")).toHaveLength(1);
    expect(run.stderr).not.toContain("SECRET");
  });
});
