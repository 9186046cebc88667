// postgres/: runs one PostgreSQL server from npm: its binaries, its cluster folder, its system user, its start and restarts.

import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { oneLine, StartFailure } from "../failure.ts";
import { type Child, type Exit, plainEnvironment, spawnChild, within } from "../processes/children.ts";
import { freePort, portInUse } from "../settings/ports.ts";
import { postgresBinaries } from "./binaries.ts";
import { prepareCluster } from "./cluster.ts";
import { canonicalFolder, runningPostgres } from "./folder.ts";
import { ensureRoles } from "./roles.ts";
import { postgresUser, requireReachable, type SystemUser } from "./user.ts";

export interface PostgresOptions {
  /** The cluster's folder; made when missing. */
  dataDir: string;
  /** The port; 0 means any free port. */
  port: number;
  /** Receives every line that the server logs. */
  onLog?: (line: string) => void;
  /** Server settings, such as `fsync: "off"` for a cluster that is thrown away. */
  settings?: Record<string, string>;
  /** Further environment variables of the server. */
  env?: Record<string, string>;
}

export interface Postgres {
  /** The URL of the database `postgres` for the role `postgres`, which is not a superuser. For other roles see urlAs in roles.ts. */
  url: string;
  port: number;
  pid: number;
  /** Resolves when the server has ended, whatever ended it. */
  exited: Promise<Exit>;
  /** Shuts down fast: open transactions roll back, and the data is written to disk. Resolves when the server has ended. */
  stop(): Promise<void>;
}

const defaults: Record<string, string> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  password_encryption: "scram-sha-256",
  // The passwords of the roles are random, so more rounds protect nothing. The usual 4,096 take 2 ms of each connection.
  scram_iterations: "1",
  max_connections: "100",
  timezone: "UTC",
  log_timezone: "UTC",
  lc_messages: "C",
  // A refused statement may contain a key that somebody pasted in the clear, so statements must stay out of the log.
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
};

/** The largest number of tries to start while the children of a killed server still hold its shared memory: one each 250 ms, for 25 s. */
const MAX_LAUNCHES = 100;

/** Starts PostgreSQL on loopback; makes the cluster first when there is none. Resolves when it accepts connections. */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const user = await postgresUser();
  const dataDir = await canonicalFolder(options.dataDir);
  await requireReachable(dirname(dataDir), user);
  await requireReachable(postgresBinaries().folder, user);
  const password = await prepareCluster(dataDir, user);
  const running = await runningPostgres(dataDir);
  if (running) throw new StartFailure(`Postgres already runs on ${dataDir} (process ${running}).`);
  const port = options.port || (await freePort());
  const child = await launch({ ...options, dataDir, port }, user);
  const url = `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`;
  try {
    await ensureRoles(url);
  } catch (error) {
    child.signal("SIGQUIT");
    await child.exited;
    throw new StartFailure(`the database roles cannot be created: ${oneLine(error)}`);
  }

  return {
    url,
    port,
    pid: child.pid,
    exited: child.exited,
    stop: async () => {
      child.signal("SIGINT");
      if (await within(child.exited, 10_000)) return;
      child.signal("SIGQUIT");
      if (await within(child.exited, 5_000)) return;
      child.signal("SIGKILL");
      await child.exited;
    },
  };
}

async function launch(
  options: PostgresOptions & { dataDir: string; port: number },
  user: SystemUser | undefined,
): Promise<Child> {
  const settings = { ...defaults, ...options.settings, port: String(options.port) };
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  for (let attempt = 1; ; attempt++) {
    const firstLines: string[] = [];
    const ready = Promise.withResolvers<"ready">();
    const child = await spawnChild(postgresBinaries().postgres, ["-D", options.dataDir, ...args], {
      cwd: options.dataDir,
      env: { ...plainEnvironment(), LC_ALL: "C", ...options.env },
      user,
      // SIGQUIT shuts down immediately; the next start recovers from the write-ahead log.
      quickSignal: "SIGQUIT",
      onLine: (line) => {
        if (firstLines.length < 100) firstLines.push(line);
        if (line.includes("database system is ready to accept connections")) ready.resolve("ready");
        options.onLog?.(line);
      },
    });
    const outcome = await Promise.race([ready.promise, child.exited]);
    if (outcome === "ready") return child;
    if (firstLines.some((line) => /could not bind/.test(line)))
      throw portInUse(options.port, "KEYHUB_DB_PORT");
    const said = firstLines.find((line) => /FATAL|PANIC|postgres: /.test(line)) ?? firstLines.at(-1);
    const reason = (!outcome.signal && said) || `it ended with ${outcome.signal ?? `code ${outcome.code}`}`;
    if (!/shared memory block|is still in use/.test(reason) || attempt === MAX_LAUNCHES) {
      const text = oneLine(reason.replace(/^.*?(FATAL|PANIC|ERROR|LOG):\s*/, ""));
      const isDamaged = /data directory|incompatible with server|checkpoint record|control file/.test(text);
      const advice = isDamaged ? "; put a copy back, or start from scratch with: npm start -- --fresh" : "";
      throw new StartFailure(`Postgres does not start on ${options.dataDir}: ${text}${advice}`);
    }
    await sleep(250);
  }
}
