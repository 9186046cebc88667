import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Below the ephemeral range (from 32768 on Linux, from 49152 elsewhere). A port of that range may be free when it is checked and
 * used by an outgoing connection a moment later, also while a killed server is being restarted.
 */
const [lowest, highest] = [15_000, 32_000];
const attempts = 100;

/** A free loopback port outside the ephemeral range. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const port = randomInt(lowest, highest);
    if (await portIsFree(port)) return port;
  }
  throw new Error(`no free port found between ${lowest} and ${highest}`);
}

/** True when the loopback port can be listened on. */
export function portIsFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/** The message for a port that is in use; `setting` is where it was configured. */
export function portInUse(port: number, setting: "KEYHUB_PORT" | "KEYHUB_DB_PORT"): string {
  return `port ${port} is in use; free it, or set ${setting} to another one.`;
}
