import { join } from "node:path";
import { StartFailure } from "./failure.ts";
import { type Functions, startFunctions } from "./functions/supervisor.ts";
import { startGateway } from "./gateway/server.ts";
import { clearPostgres } from "./postgres/folder.ts";
import { supervisePostgres } from "./postgres/supervisor.ts";
import { runVariable, takeOver } from "./processes/run-record.ts";
import { createTeardown } from "./processes/teardown.ts";
import { migrate } from "./schema/migrations.ts";
import {
  clearUnfinished,
  emptyDataFolder,
  isUnused,
  openDataFolder,
  requireSecretsWithDatabase,
} from "./settings/data-folder.ts";
import { publishEnvironment, requireIdleEnvFile, requireOwnEnvFile } from "./settings/env-file.ts";
import {
  clientEnvironment,
  functionEnvironment,
  upstreamEnvironment,
  upstreamHosts,
} from "./settings/environment.ts";
import { type LogFiles, openLogFiles } from "./settings/log-files.ts";
import { freePort, portInUse, type ReservedPort, reservePort } from "./settings/ports.ts";
import { addSealPair, readOrMakeSecrets, writeSecrets } from "./settings/secrets.ts";
import { builtSite } from "./site/build.ts";
import { openSite } from "./site/site.ts";
import { watchSite } from "./site/watch.ts";
import type { Supabase } from "./supabase/api.ts";

export interface StackOptions {
  dataDir: string;
  /** Of the gateway; 0 or nothing takes a free one. */
  port?: number;
  dbPort?: number;
  /** Names that the gateway answers to, besides those of this machine. */
  hosts?: readonly string[];
  /** Where to write the settings when ready; nowhere when absent. */
  envFile?: string;
  /** First delete what earlier starts left in the data folder. */
  fresh?: boolean;
  /** Add a new pair that seals from now on; the old ones still open. */
  newSealPair?: boolean;
  /** Build the pages again when one of their sources changes, and reload open ones. */
  watchPages?: boolean;
  functionsDir?: string;
  /** More environment for the functions. */
  functionEnv?: Record<string, string>;
  postgresSettings?: Record<string, string>;
  /** Lines for the person at the terminal. */
  onLog?: (line: string) => void;
  /** Something died and cannot be restarted; the stack has already stopped itself when this is called. */
  onFatal?: (message: string) => void;
  /** Aborts a start and stops everything it has started. */
  signal?: AbortSignal;
}

export interface Stack {
  url: string;
  databaseUrl: string;
  /** The content of the env file. */
  env: Record<string, string>;
  supabase: Supabase;
  functions: Functions;
  /** Stops gateway, functions, REST and database, in this order. */
  stop(): Promise<void>;
}

/** Starts everything. When a part fails, stops what has been started and throws. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const teardown = createTeardown();
  let logFiles: LogFiles | undefined;
  /** Writes a line to the terminal and to the log file of a service. */
  const log = (line: string, service = "stack") => {
    logFiles?.write(service, line);
    options.onLog?.(line);
  };
  let ready = false;
  let failure: string | undefined;

  /** When one part cannot be restarted, the whole stack stops. */
  async function fail(message: string): Promise<void> {
    if (failure) return;
    failure = message;
    if (!ready) return;
    await teardown.stop();
    options.onFatal?.(message);
  }

  function proceed(): void {
    options.signal?.throwIfAborted();
    if (failure) throw new StartFailure(failure);
  }

  /** Refuses when another stack has the env file or a port. */
  async function takePlace(port: number): Promise<ReservedPort> {
    if (options.envFile) requireIdleEnvFile(options.envFile);
    // The URL has the port, so the gateway's is taken now, some seconds before the gateway listens.
    const reserved = await reserve(port, "KEYHUB_PORT");
    teardown.add({ stop: reserved.release });
    if (options.dbPort) await (await reserve(options.dbPort, "KEYHUB_DB_PORT")).release();
    return reserved;
  }

  try {
    if (options.envFile) requireOwnEnvFile(options.envFile);
    const port = options.port || (await freePort());
    const url = `http://127.0.0.1:${port}`;
    const demoPort = await freePort();
    const upstreams = upstreamEnvironment(demoPort);
    // A start that is refused leaves nothing: a folder is made only when all else is free. Of one that is there the lock comes
    // first: for a second start on the same folder, that is the better message.
    const isNew = isUnused(options.dataDir);
    let reserved = isNew ? await takePlace(port) : undefined;
    const dataDir = openDataFolder(options.dataDir);
    const record = await takeOver(dataDir, url);
    teardown.add({ stop: record.remove });
    // What a killed start left running may have the ports.
    await clearPostgres(join(dataDir, "postgres"));
    reserved ??= await takePlace(port);
    if (options.fresh) emptyDataFolder(dataDir);
    clearUnfinished(dataDir);
    requireSecretsWithDatabase(dataDir);
    let secrets = await readOrMakeSecrets(dataDir);
    if (options.newSealPair) {
      secrets = await addSealPair(dataDir, secrets);
      const kid = secrets.unsealKeys[0]?.kid;
      log(
        `Seal pair ${kid} is new: it seals from now on, the old ones still open. To move the rows: npm run reseal`,
      );
    }
    proceed();

    logFiles = teardown.add(openLogFiles(dataDir));
    let supabase: Supabase | undefined;
    const building = builtSite();
    building.catch(() => {});
    // In parallel: the functions need no database to start, and take about as long.
    const starting = Promise.allSettled([
      supervisePostgres({
        dataDir: join(dataDir, "postgres"),
        port: options.dbPort ?? 0,
        onLog: (line) => logFiles?.write("postgres", line),
        onPid: (pid) => record.note("postgres", pid),
        onLine: (line) => log(line),
        onLost: (message) => void fail(message),
        ...(options.postgresSettings ? { settings: options.postgresSettings } : {}),
      }),
      startFunctions({
        env: {
          ...functionEnvironment(url, secrets),
          ...upstreams,
          // A local log may hold whole errors, see functions/_shared/log.ts.
          KEYHUB_LOG_ERRORS: "full",
          ...options.functionEnv,
          [runVariable]: record.id,
        },
        hosts: { "keyhub-gateway": upstreamHosts(upstreams) },
        onLog: (line) => log(line),
        onOutput: (name, line) => {
          logFiles?.write(name, line);
          options.onLog?.(`[${name}] ${line}`);
        },
        onPid: (name, pid) => record.note(name, pid),
        onGivenUp: (message) => void fail(message),
        ...(options.functionsDir ? { functionsDir: options.functionsDir } : {}),
      }),
    ]);
    // Loaded here because it is slow to load, and a start that is refused does not need it.
    const libraries = Promise.all([
      import("./supabase/api.ts"),
      import("./supabase/bootstrap.ts"),
      import("./seeds/keys.ts"),
      import("./seeds/hub.ts"),
    ]);
    libraries.catch(() => {});
    const [postgres, deno] = await starting;
    if (postgres.status === "fulfilled") teardown.add(postgres.value);
    teardown.add({ stop: () => supabase?.stop() });
    if (deno.status === "fulfilled") teardown.add(deno.value);
    if (postgres.status === "rejected") throw postgres.reason;
    if (deno.status === "rejected") throw deno.reason;
    const [database, functions] = [postgres.value, deno.value];
    proceed();

    const [{ createSupabase }, { bootstrapDatabase }, { seedDemo }, { seedHub }] = await libraries;
    await bootstrapDatabase(database.url);
    await migrate(database.url);
    proceed();
    const { publishableKey, secretKey, jwtSecret } = secrets;
    const keys = { publishableKey, secretKey, jwtSecret };
    supabase = createSupabase({
      databaseUrl: database.url,
      ...keys,
      siteUrl: url,
      onLog: (line) => log(line, "rest"),
    });
    const seeded = await seedDemo(database.url, supabase, secrets);
    if (seeded !== secrets) writeSecrets(dataDir, seeded);
    await seedHub(database.url, supabase, seeded);
    proceed();
    const pages = {
      dist: await building,
      url,
      publishableKey,
      api: supabase,
      onLog: (line: string) => log(line, "site"),
    };
    const site = options.watchPages ? teardown.add(await watchSite(pages)) : await openSite(pages);
    await reserved.release();
    teardown.add(await startGateway({ port, supabase, functions, site, hosts: options.hosts ?? [] }));
    const env = clientEnvironment(url, database.url, seeded, demoPort);
    if (options.envFile) teardown.add(publishEnvironment(options.envFile, record.id, env));
    proceed();
    ready = true;
    return { url, databaseUrl: database.url, env, supabase, functions, stop: teardown.stop };
  } catch (error) {
    await teardown.stop();
    throw failure ? new StartFailure(failure) : error;
  }
}

async function reserve(port: number, setting: "KEYHUB_PORT" | "KEYHUB_DB_PORT"): Promise<ReservedPort> {
  const reserved = await reservePort(port);
  if (reserved === null) throw new StartFailure(portInUse(port, setting));
  return reserved;
}
