import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readSettings } from "../../packages/local/src/settings/settings.ts";
import { type StackOptions, startStack } from "../../packages/local/src/stack.ts";
import { copyDataFolder } from "../support/data-folder.ts";
import { LONG_TESTS } from "../support/long-tests.ts";
import { begin, beginPrepared, expectOneLine, folder, here, lease } from "./fixture.ts";
import { occupy, type Place, place, type Run } from "./scratch.ts";

/**
 * Does the same as a refused begin() in this process, because a process of its own costs a second of processor time. `npm start` prints the
 * message of the failure after "Keyhub: ".
 */
async function expectRefused(
  where: Place,
  words: RegExp,
  options: Partial<StackOptions> = {},
): Promise<void> {
  const start = async () => startStack({ ...readSettings(where.env), ...options, onLog: () => {} });
  const failure = await start().then(
    (stack) => stack.stop(),
    (error: Error) => error,
  );
  expect(failure?.message).toMatch(words);
  expect(failure?.message.trim()).not.toContain("\n");
}

const at = (env: Record<string, string>): Place => ({ ...here, env: { ...here.env, ...env } });

describe("what is in the way is said in one line", () => {
  test("a second start on the same data folder, and busy ports", async () => {
    const first = await beginPrepared();
    await first.ready;
    await expectOneLine(begin(), /^Keyhub: a stack already runs on .*data \(process \d+, http/);
    expect((await lease()).status).toBe(200);
    // A refused start leaves nothing new behind.
    const other = await place(join(folder.path, "other"));
    const samePort = { ...other, env: { ...other.env, KEYHUB_PORT: String(here.port) } };
    await expectRefused(samePort, /port \d+ is in use.*KEYHUB_PORT/);
    // Another place with the same env file: the file stays that of the running stack.
    const text = readFileSync(here.envFile, "utf8");
    const sameFile = { ...other, env: { ...other.env, KEYHUB_ENV_FILE: here.envFile } };
    await expectRefused(sameFile, /env belongs to a stack that runs.*KEYHUB_ENV_FILE/);
    expect(readFileSync(here.envFile, "utf8")).toBe(text);
    const server = await occupy(other.dbPort);
    await expectRefused(other, /port \d+ is in use.*KEYHUB_DB_PORT/);
    expect(existsSync(join(folder.path, "other"))).toBe(false);
    mkdirSync(other.dataDir, { recursive: true });
    await expectRefused(other, /port \d+ is in use.*KEYHUB_DB_PORT/);
    expect(readdirSync(other.dataDir)).toEqual([]);
    // --fresh deletes nothing when it is refused.
    rmSync(other.dataDir, { recursive: true });
    await copyDataFolder(other.dataDir);
    await expectRefused(other, /port \d+ is in use.*KEYHUB_DB_PORT/, { fresh: true });
    expect(readdirSync(other.dataDir)).toContain("postgres");
    server.close();
  });

  test("an env file of a dead run: of two that start at once, the first that is ready has it", async () => {
    // The file names the pid of a running process, but with another start time: the process that wrote the file has ended.
    const words = "# Written by npm start; removed when it stops. Run some-id of process";
    writeFileSync(here.envFile, `${words} ${process.pid}, another time\nSUPABASE_URL='http://nowhere'\n`);
    const other = await place(join(folder.path, "other"));
    mkdirSync(join(folder.path, "other"));
    const both = [here, { ...other, env: { ...other.env, KEYHUB_ENV_FILE: here.envFile } }];
    for (const { dataDir } of both) await copyDataFolder(dataDir);
    const runs = both.map((where) => begin([], where));
    const ready = await Promise.all(
      runs.map(({ ready }) =>
        ready.then(
          () => true,
          () => false,
        ),
      ),
    );
    expect(ready.toSorted()).toEqual([false, true]);
    await expectOneLine(runs[ready.indexOf(false)] as Run, /belongs to a stack that runs/);
    expect((await lease()).status).toBe(200);
  });

  test("data folders that cannot be made, and a folder in the place of a record", async () => {
    for (const dataDir of ["/proc/xx", "/proc/xx/yy/zz"]) {
      await expectRefused(
        at({ KEYHUB_DATA_DIR: dataDir }),
        /data folder \/proc\/xx\S* cannot be used: ENOENT/,
      );
    }
    mkdirSync(join(here.dataDir, "running.json"), { recursive: true });
    writeFileSync(join(here.dataDir, "keyhub.json"), '{ "keyhub": "data folder" }');
    await expectRefused(here, /running\.json is not a file of Keyhub/);
    renameSync(join(here.dataDir, "running.json"), join(here.dataDir, "running.json.old"));
    await expectRefused(here, /running\.json\.old is not a file of Keyhub/);
    expect(readdirSync(here.dataDir).sort()).toEqual(["keyhub.json", "running.json.old"]);
  });

  test("data folders that cannot be used", async () => {
    // A file in place of a folder; then somebody else's folder, also with --fresh.
    writeFileSync(here.dataDir, "a file");
    await expectRefused(here, /is not a folder/);
    rmSync(here.dataDir);
    mkdirSync(here.dataDir);
    writeFileSync(join(here.dataDir, "thesis.txt"), "years of work");
    await expectRefused(here, /contains other files/, { fresh: true });
    expect(readdirSync(here.dataDir)).toEqual(["thesis.txt"]);
    rmSync(join(here.dataDir, "thesis.txt"));

    // A folder of Keyhub, but damaged.
    writeFileSync(join(here.dataDir, "keyhub.json"), '{ "keyhub": "data folder" }');
    writeFileSync(join(here.dataDir, "secrets.json"), '{"jwtSecret": ');
    await expectRefused(here, /secrets\.json is damaged.*--fresh/);
    rmSync(join(here.dataDir, "secrets.json"));
    mkdirSync(join(here.dataDir, "postgres"));
    writeFileSync(join(here.dataDir, "postgres", "PG_VERSION"), "16\n");
    await expectRefused(here, /no secrets\.json/);
    rmSync(here.dataDir, { recursive: true });
    await copyDataFolder(here.dataDir);
    writeFileSync(join(here.dataDir, "postgres", "PG_VERSION"), "16\n");
    await expectRefused(here, /database files are incompatible with server; .*--fresh/);
    rmSync(join(here.dataDir, "postgres", "PG_VERSION"));
    await expectRefused(here, /is not a valid data directory; .*--fresh/);
  });

  test("options, ports and files that are no use", async () => {
    const wrong = [["--fresh", "--SECRET=1"], ...(LONG_TESTS ? [["SECRET"]] : [])];
    for (const args of wrong) {
      const run = begin(args);
      await expectOneLine(
        run,
        /arguments are not.*usage: npm start -- \[--fresh\] \[--new-seal-pair\] \[--watch\]$/,
      );
      expect(run.err()).not.toContain("SECRET");
    }
    await expectRefused(at({ KEYHUB_PORT: "http" }), /KEYHUB_PORT is not a port number/);
    writeFileSync(here.envFile, "MY_OWN=1\n");
    await expectRefused(here, /was not written by npm start/);
    expect(readFileSync(here.envFile, "utf8")).toBe("MY_OWN=1\n");
    rmSync(here.envFile);
    if (process.getuid?.() !== 0) return;
    const closed = join(folder.path, "closed");
    mkdirSync(closed);
    chmodSync(closed, 0o700);
    await expectRefused(at({ KEYHUB_DATA_DIR: join(closed, "data") }), /started as root.*may not enter/);
  });
});
