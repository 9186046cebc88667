import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * The range of ports to choose from. It is below the ephemeral range (from 32768 on Linux, from 49152 elsewhere): an ephemeral port may be
 * free when it is checked and used by an outgoing connection a moment later, also while a killed server is being restarted.
 */
const [lowest, highest] = [15_000, 32_000];
const attempts = 100;

/** Returns a free loopback port outside the ephemeral range. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const port = randomInt(lowest, highest);
    if (await portIsFree(port)) return port;
  }
  throw new Error(`no free port found between ${lowest} and ${highest}`);
}

/** Returns whether the loopback port can be listened on. */
export async function portIsFree(port: number): Promise<boolean> {
  const reserved = await reservePort(port);
  await reserved?.release();
  return reserved !== null;
}

export interface ReservedPort {
  port: number;
  /** Frees the port. Safe to call again. */
  release(): Promise<void>;
}

/**
 * Takes a loopback port until its later owner listens on it. Otherwise another process could take the port between the check that it is
 * free and that moment. Connections that come in meanwhile are closed. Returns null when the port is in use.
 */
export function reservePort(port: number): Promise<ReservedPort | null> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    const release = () => new Promise<void>((done) => server.close(() => done()));
    server.once("error", () => resolve(null));
    server.listen(port, "127.0.0.1", () => resolve({ port, release }));
  });
}

/** Returns the message for a port that is in use; `setting` is the setting that configures it. */
export function portInUse(port: number, setting: "KEYHUB_PORT" | "KEYHUB_DB_PORT"): string {
  return `port ${port} is in use; free it, or set ${setting} to another one.`;
}
