import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { errorCode, oneLine, StartFailure } from "../failure.ts";

/**
 * The range of ports to choose from. It is below the ephemeral range (from 32768 on Linux, from 49152 elsewhere): an ephemeral port may be
 * free when it is checked, and a moment later an outgoing connection may use it, also while a killed server is being restarted.
 */
const portRange: readonly [lowest: number, end: number] = [15_000, 32_000];
const attempts = 100;

/** Returns a free loopback port of the range, which ends before `end`. */
export async function freePort([lowest, end] = portRange): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const port = randomInt(lowest, end);
    const reserved = await reservePort(port).catch(() => null);
    await reserved?.release();
    if (reserved) return port;
  }
  throw new Error(`no free port found between ${lowest} and ${end}`);
}

export interface ReservedPort {
  /** Frees the port. Safe to call again. */
  release(): Promise<void>;
}

/** The settings that name a port of the stack. */
type PortSetting = "KEYHUB_PORT" | "KEYHUB_DB_PORT";

/**
 * Takes a loopback port for a server that will listen on it later, so that no other process can take the port meanwhile. Connections that
 * come in meanwhile are closed. Rejects when the port is in use.
 */
export async function reservePort(port: number, setting: PortSetting = "KEYHUB_PORT"): Promise<ReservedPort> {
  const server = createServer((socket) => socket.destroy());
  await once(server.listen(port, "127.0.0.1"), "listening").catch((error) => {
    throw cannotListen(error, port, setting);
  });
  return { release: () => new Promise((done) => server.close(() => done())) };
}

/** Returns the failure for a port that cannot be listened on. */
export function cannotListen(error: unknown, port: number, setting: PortSetting): StartFailure {
  if (errorCode(error) === "EADDRINUSE") return portInUse(port, setting);
  return new StartFailure(`cannot listen on port ${port} (${setting}): ${oneLine(error)}`);
}

/** Returns the failure for a port that is in use; `setting` is the setting that configures it. */
export function portInUse(port: number, setting: PortSetting): StartFailure {
  return new StartFailure(`port ${port} is in use; free it, or set ${setting} to another one.`);
}
