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
export async function portIsFree(port: number): Promise<boolean> {
  const reserved = await reservePort(port);
  await reserved?.release();
  return reserved !== null;
}

export interface ReservedPort {
  port: number;
  /** Gives the port free. Safe to call again. */
  release(): Promise<void>;
}

/**
 * Takes a loopback port until whoever needs it listens itself: a port that was only found free can be taken by another process in
 * the seconds in between. Connections that come in meanwhile are closed. Null where the port is in use.
 */
export function reservePort(port: number): Promise<ReservedPort | null> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    const release = () => new Promise<void>((done) => server.close(() => done()));
    server.once("error", () => resolve(null));
    server.listen(port, "127.0.0.1", () => resolve({ port, release }));
  });
}

/** The message for a port that is in use; `setting` is where it was configured. */
export function portInUse(port: number, setting: "KEYHUB_PORT" | "KEYHUB_DB_PORT"): string {
  return `port ${port} is in use; free it, or set ${setting} to another one.`;
}
