import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Below what systems hand out to outgoing connections (from 32768 on Linux, 49152 elsewhere): a port of that range may
 * be free when it is looked at and some client's a moment later, also while a server that was killed is being restarted.
 */
const [lowest, highest] = [15_000, 32_000];
const attempts = 100;

/** A loopback port nobody listens on at this moment, and no outgoing connection will be given. */
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

/** What to tell somebody whose port, given in that setting, is taken. */
export function portInUse(port: number, setting: "KEYHUB_PORT" | "KEYHUB_DB_PORT"): string {
  return `port ${port} is in use; free it, or set ${setting} to another one.`;
}
