import { join } from "node:path";
import { type Functions, startFunctions } from "./functions/supervisor.ts";
import { startGateway } from "./gateway/server.ts";
import { type LoopbackPayments, startLoopbackPayments } from "./payments/loopback.ts";
import { type PlaceOptions, readSecrets, type StackPlace, takePlace } from "./place.ts";
import { supervisePostgres } from "./postgres/supervisor.ts";
import { runVariable } from "./processes/run-record.ts";
import { migrate } from "./schema/migrations.ts";
import { publishEnvironment } from "./settings/env-file.ts";
import {
  alertEnvironment,
  alertHosts,
  clientEnvironment,
  functionEnvironment,
  PAYMENT_HOSTS,
  paymentEnvironment,
  upstreamHosts,
} from "./settings/environment.ts";
import { type Secrets, writeSecrets } from "./settings/secrets.ts";
import { builtSite } from "./site/build.ts";
import { openSite, type Site } from "./site/site.ts";
import { watchSite } from "./site/watch.ts";
import { createStartControl, type StartControl, type StartEvents } from "./start-control.ts";
import type { Supabase } from "./supabase/api.ts";
import { startTicks } from "./ticks.ts";

export interface StackOptions extends PlaceOptions, StartEvents {
  /** The host names that the gateway answers to, besides those of this machine. */
  hosts?: readonly string[];
  /** Whether to build the pages again when one of their sources changes, and to reload open ones. */
  watchPages?: boolean;
  functionsDir?: string;
  /** Additional environment variables for the functions. */
  functionEnv?: Record<string, string>;
  postgresSettings?: Record<string, string>;
  /** The time between two calls of keyhub-alerts, and of payment-webhook, in milliseconds. */
  alertsEvery?: number;
  reconcileEvery?: number;
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
  const control = createStartControl(options);
  const { teardown, proceed } = control;
  try {
    const place = await takePlace(options, control);
    const stored = await readSecrets(options, control, place);
    proceed();

    control.openLogFiles(place.dataDir);
    // Start all three at once: the functions need no database to start, and starting Postgres, building the pages and loading the libraries
    // take about the same time.
    const building = early(builtSite());
    const payments = teardown.add(await startLoopbackPayments(place.url, (line) => control.log(line)));
    const starting = startProcesses(options, control, place, stored, payments);
    const libraries = early(loadLibraries());
    const { databaseUrl, functions, addSupabase } = await starting;
    proceed();

    const loaded = await libraries;
    await loaded.bootstrapDatabase(databaseUrl);
    await migrate(databaseUrl);
    proceed();

    const supabase = addSupabase(serveDatabase(loaded, control, place, databaseUrl, stored));
    const secrets = await seed(loaded, place, databaseUrl, supabase, stored);
    proceed();

    const site = await openPages(options, control, place, secrets, supabase, await building);
    await place.reserved.release();
    const { port, url, record } = place;
    teardown.add(await startGateway({ port, supabase, functions, site, hosts: options.hosts ?? [] }));
    const { secretKey } = secrets;
    const onLog = (line: string) => control.log(line);
    // The defaults are the intervals at which pg_cron calls these functions on a hosted project.
    const { alertsEvery = 60_000, reconcileEvery = 3_600_000 } = options;
    teardown.add(startTicks({ name: "keyhub-alerts", url, secretKey, everyMs: alertsEvery, onLog }));
    teardown.add(startTicks({ name: "payment-webhook", url, secretKey, everyMs: reconcileEvery, onLog }));
    const env = clientEnvironment(url, databaseUrl, secrets, place.demoPort, payments.url);
    if (options.envFile) teardown.add(publishEnvironment(options.envFile, record.id, env));
    proceed();
    control.ready();
    return { url, databaseUrl, env, supabase, functions, stop: teardown.stop };
  } catch (error) {
    throw await control.abandon(error);
  }
}

interface Processes {
  databaseUrl: string;
  functions: Functions;
  /** REST and auth start later than the functions and stop after them. */
  addSupabase: (supabase: Supabase) => Supabase;
}

/** Starts Postgres and the functions. When one of them fails, the other is stopped, like every part that has been started. */
async function startProcesses(
  options: StackOptions,
  control: StartControl,
  place: StackPlace,
  secrets: Secrets,
  payments: LoopbackPayments,
): Promise<Processes> {
  const { teardown } = control;
  const [database, functions] = await Promise.allSettled([
    startDatabase(options, control, place),
    serveFunctions(options, control, place, secrets, payments),
  ]);
  if (database.status === "fulfilled") teardown.add(database.value);
  const addSupabase = teardown.reserve<Supabase>();
  if (functions.status === "fulfilled") teardown.add(functions.value);
  if (database.status === "rejected") throw database.reason;
  if (functions.status === "rejected") throw functions.reason;
  return { databaseUrl: database.value.url, functions: functions.value, addSupabase };
}

function startDatabase(options: StackOptions, control: StartControl, { dataDir, record }: StackPlace) {
  return supervisePostgres({
    dataDir: join(dataDir, "postgres"),
    port: options.dbPort ?? 0,
    onLog: (line) => control.write("postgres", line),
    onPid: (pid) => record.note("postgres", pid),
    onLine: (line) => control.log(line),
    onLost: (message) => void control.fail(message),
    ...(options.postgresSettings ? { settings: options.postgresSettings } : {}),
  });
}

async function serveFunctions(
  options: StackOptions,
  control: StartControl,
  { url, upstreams, record }: StackPlace,
  secrets: Secrets,
  payments: LoopbackPayments,
): Promise<Functions> {
  const settings = { ...alertEnvironment(), ...paymentEnvironment(payments), ...options.functionEnv };
  return startFunctions({
    env: {
      ...functionEnvironment(url, secrets),
      ...upstreams,
      // A local log may contain whole errors, see functions/_shared/log.ts.
      KEYHUB_LOG_ERRORS: "full",
      ...settings,
      [runVariable]: record.id,
    },
    hosts: {
      ...{ "keyhub-gateway": upstreamHosts(upstreams), "keyhub-alerts": alertHosts(settings) },
      ...{ "hub-checkout": PAYMENT_HOSTS, "payment-webhook": PAYMENT_HOSTS },
    },
    onLog: (line) => control.log(line),
    onOutput: (name, line) => {
      control.write(name, line);
      options.onLog?.(`[${name}] ${line}`);
    },
    onPid: (name, pid) => record.note(name, pid),
    onGivenUp: (message) => void control.fail(message),
    ...(options.functionsDir ? { functionsDir: options.functionsDir } : {}),
  });
}

type Libraries = Awaited<ReturnType<typeof loadLibraries>>;

/** Loads the libraries late because they are slow to load, and a refused start does not need them. */
async function loadLibraries() {
  const [api, bootstrap, keys, hub] = await Promise.all([
    import("./supabase/api.ts"),
    import("./supabase/bootstrap.ts"),
    import("./seeds/keys.ts"),
    import("./seeds/hub.ts"),
  ]);
  return { ...api, ...bootstrap, ...keys, ...hub };
}

/** Returns a promise that is awaited later: a failure before that does not end the process. */
function early<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

function serveDatabase(
  { createSupabase }: Libraries,
  { log }: StartControl,
  { url }: StackPlace,
  databaseUrl: string,
  { publishableKey, secretKey, jwtSecret }: Secrets,
): Supabase {
  const onLog = (line: string) => log(line, "rest");
  return createSupabase({ databaseUrl, publishableKey, secretKey, jwtSecret, siteUrl: url, onLog });
}

/** Seeds the demo content. Returns the secrets with the parts that the demo content added. */
async function seed(
  { seedDemo, seedHub }: Libraries,
  { dataDir }: StackPlace,
  databaseUrl: string,
  supabase: Supabase,
  secrets: Secrets,
): Promise<Secrets> {
  const seeded = await seedDemo(databaseUrl, supabase, secrets);
  if (seeded !== secrets) writeSecrets(dataDir, seeded);
  await seedHub(databaseUrl, supabase, seeded);
  return seeded;
}

async function openPages(
  { watchPages }: StackOptions,
  { teardown, log }: StartControl,
  { url }: StackPlace,
  { publishableKey, sealKey }: Secrets,
  api: Supabase,
  dist: string,
): Promise<Site> {
  const pages = { dist, url, publishableKey, sealKey, api, onLog: (line: string) => log(line, "site") };
  return watchPages ? teardown.add(await watchSite(pages)) : await openSite(pages);
}
