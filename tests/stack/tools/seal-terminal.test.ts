import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { generateSealPair, readKeyring } from "../../../packages/core/src/keys/seal.ts";
import { until } from "../../support/until.ts";
import { toolEnvironment, toolPath } from "./run-tool.ts";

const user = "0a1b2c3d-0000-4000-8000-00000000000c";
const pair = await generateSealPair();
// util-linux's script(1) gives a process a terminal of its own.
const hasScript = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux");

function startInTerminal(): { child: ChildProcess; screen: () => string; ended: Promise<number | null> } {
  const command = `'${process.execPath}' '${toolPath("seal")}' --user ${user}`;
  const env = toolEnvironment({ KEYHUB_SEAL_KEY: pair.sealKey, TERM: "xterm", SHELL: "/bin/sh" });
  const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], { env });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (more) => {
    text += more;
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, screen: () => text, ended };
}

test.runIf(hasScript)("a terminal shows a prompt and the sealed texts, never what is typed", async () => {
  const { child, screen, ended } = startInTerminal();
  await until(() => screen().includes("end with Ctrl-D"));
  child.stdin?.write("sk-typed-SECRET\r");
  await until(() => screen().includes("line 1 read"));
  // Pasted text with a correction (backspace).
  child.stdin?.write("sk-SECRET-two-x\u007f\u007f\r");
  await until(() => screen().includes("line 2 read"));
  child.stdin?.write("\u0004");
  expect(await ended).toBe(0);
  expect(screen()).not.toContain("SECRET");
  const keyring = await readKeyring(JSON.stringify([pair.unsealKey]));
  const sealed = screen().match(/hpke\.v1\.\S+/g) ?? [];
  expect(await Promise.all(sealed.map((text) => keyring.open(text, user)))).toEqual([
    "sk-typed-SECRET",
    "sk-SECRET-two",
  ]);
});

test.runIf(hasScript)("Ctrl-C ends it with 130 and seals nothing", async () => {
  const { child, screen, ended } = startInTerminal();
  await until(() => screen().includes("end with Ctrl-D"));
  child.stdin?.write("sk-SECRET\r\u0003");
  expect(await ended).toBe(130);
  expect(screen()).not.toMatch(/SECRET|hpke/);
});
