import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startPostgres } from "../../packages/local/src/postgres/server.ts";
import { freePort } from "../../packages/local/src/settings/ports.ts";
import { startStack } from "../../packages/local/src/stack.ts";
import { occupy, scratchFolder, withoutDurability } from "./scratch.ts";

test("a free port is none that an outgoing connection can be given", async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
  expect(Math.min(...ports)).toBeGreaterThanOrEqual(15_000);
  expect(Math.max(...ports)).toBeLessThan(32_768);
});

test("a server whose port is in use does not start", async () => {
  const folder = scratchFolder();
  const port = await freePort();
  const holder = await occupy(port);
  try {
    const options = { dataDir: join(folder.path, "cluster"), port, settings: withoutDurability };
    await expect(startPostgres(options)).rejects.toThrow(/^port \d+ is in use; .*KEYHUB_DB_PORT/);
  } finally {
    holder.close();
    folder.remove();
  }
});

test("of two starts at once with the same port, one is refused before it has made anything", async () => {
  const folders = [scratchFolder(), scratchFolder()];
  const port = await freePort();
  // As soon as one start has ended, the other one is stopped.
  const enough = new AbortController();
  const failures = folders.map(async ({ path }) => {
    const started = startStack({ dataDir: join(path, "data"), port, signal: enough.signal });
    const failure = await started.then(({ stop }) => stop()).catch(String);
    enough.abort();
    return { failure, made: existsSync(join(path, "data", "postgres")) };
  });
  try {
    const refused = { failure: expect.stringMatching(/port \d+ is in use; .*KEYHUB_PORT/), made: false };
    expect(await Promise.all(failures)).toContainEqual(refused);
  } finally {
    for (const folder of folders) folder.remove();
  }
});
