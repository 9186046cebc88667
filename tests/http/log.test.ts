import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { describeError, SafeError } from "../../supabase/functions/_shared/log.ts";
import { commandOf, repository } from "../support/cli.ts";

const [deno] = commandOf("deno");
const script = `
  import { describeError } from "${new URL("../../supabase/functions/_shared/log.ts", import.meta.url).href}";
  console.log(describeError(new Error("SECRET was sent")));`;

/** Runs a script on Deno with these environment variables. Returns the text that a function would log about an error. */
const logged = (env: Record<string, string>) =>
  execFileSync(deno, ["run", "--allow-env", "--allow-read", "--no-config", "--ext=ts", "-"], {
    cwd: repository,
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", NO_COLOR: "1", ...env },
    input: script,
    encoding: "utf8",
  });

test("the log of a hosted function names the error and its place, not its message", () => {
  expect(logged({})).toMatch(/^Error at \S+\s*$/);
  expect(logged({ KEYHUB_LOG_ERRORS: "yes" })).not.toContain("SECRET");
  expect(describeError(new TypeError("SECRET"))).toMatch(/^TypeError at .*log\.test\.ts:\d+:\d+/);
  expect(describeError("SECRET")).toBe("string");
  expect(describeError(new SafeError("rpc x: status 500"))).toBe("rpc x: status 500");
});

test("npm start asks for whole errors", () => {
  expect(logged({ KEYHUB_LOG_ERRORS: "full" })).toMatch(/^Error: SECRET was sent\n +at /);
});
