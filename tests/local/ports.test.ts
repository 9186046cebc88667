import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { freePort } from "../../packages/local/src/ports.ts";
import { startPostgres } from "../../packages/local/src/postgres.ts";
import { occupy, scratchFolder, throwAway } from "./scratch.ts";

test("a free port is none that an outgoing connection can be given", async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, freePort));
  expect(Math.min(...ports)).toBeGreaterThanOrEqual(15_000);
  expect(Math.max(...ports)).toBeLessThan(32_768);
});

test("a server that had its port waits for it, one that starts does not", async () => {
  const folder = scratchFolder();
  const port = await freePort();
  const options = { dataDir: join(folder.path, "cluster"), port, settings: throwAway };
  const holder = await occupy(port);
  try {
    await expect(startPostgres(options)).rejects.toThrow(/^port \d+ is in use; .*KEYHUB_DB_PORT/);
    const restarted = startPostgres({ ...options, hadPort: true });
    const first = await Promise.race([restarted.then(() => "started"), sleep(700, "waiting")]);
    expect(first).toBe("waiting");
    holder.close();
    await (await restarted).stop();
  } finally {
    holder.close();
    folder.remove();
  }
});
