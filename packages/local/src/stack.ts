import { join } from "node:path";
import { type Functions, startFunctions } from "./functions/supervisor.ts";
import { startGateway } from "./gateway/server.ts";
import { type PaymentServer, startPayments } from "./payments/server.ts";
import { type PlaceOptions, readSecrets, type StackPlace, takePlace } from "./place.ts";
import { supervisePostgres } from "./postgres/supervisor.ts";
import { setVariables } from "./processes/children.ts";
import { runVariable } from "./processes/run-record.ts";
import { migrate } from "./schema/migrations.ts";
import { publishEnvironment } from "./settings/env-file.ts";
import {
  alertHosts,
  clientEnvironment,
  functionEnvironment,
  PAYMENT_HOSTS,
  paymentEnvironment,
  upstreamHosts,
} from "./settings/environment.ts";
import { type Secrets, writeSecrets } from "./settings/secrets.ts";
import { builtSite } from "./site/build.ts";
import { openSite } from "./site/site.ts";
import { watchSite } from "./site/watch.ts";
import { createStartControl, type StartControl, type StartEvents } from "./start-control.ts";
import type { Supabase } from "./supabase/api.ts";
import { startTicks } from "./ticks.ts";

export interface StackOptions extends PlaceOptions, StartEvents {
  /** The host names that the gateway answers to, besides those of this machine. */
  hosts?: readonly string[];
  /** Whether to build the pages again when a source of the pages changes, and to reload open pages. */
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

/** Starts the stack. When a part fails, stops the parts that were started and throws. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const control = createStartControl(options);
  const { teardown, log, proceed } = control;
  try {
    const place = await takePlace(options, control);
    const { port, url, dataDir } = place;
    const stored = await readSecrets(options, control, place);
    proceed();

    control.openLogFile(dataDir);
    // Start these steps at once: starting Postgres, building the pages and loading the libraries take about the same time.
    const building = early(builtSite());
    const libraries = early(loadLibraries());
    const webhook = () => `${url}/functions/v1/payment-webhook`;
    const payments = teardown.add(await startPayments({ webhook, onLog: log }));
    const { url: databaseUrl } = teardown.add(await startDatabase(options, control, place));
    proceed();

    const { bootstrapDatabase, createSupabase, seedDemo, seedHub } = await libraries;
    await bootstrapDatabase(databaseUrl);
    await migrate(databaseUrl);
    proceed();

    const { publishableKey, secretKey, jwtSecret, sealKey } = stored;
    const keys = { publishableKey, secretKey, jwtSecret };
    const supabase = teardown.add(
      createSupabase({ databaseUrl, ...keys, siteUrl: url, onLog: (line) => log(line, "rest") }),
    );
    const functions = teardown.add(await serveFunctions(options, control, place, stored, payments));
    const secrets = await seedDemo(databaseUrl, supabase, stored);
    if (secrets !== stored) writeSecrets(dataDir, secrets);
    await seedHub(databaseUrl, supabase, secrets);
    proceed();

    const onLog = (line: string) => log(line, "site");
    const pages = { dist: await building, url, publishableKey, sealKey, api: supabase, onLog };
    const site = options.watchPages ? teardown.add(await watchSite(pages)) : await openSite(pages);
    await place.reserved.release();
    teardown.add(await startGateway({ port, supabase, functions, site, hosts: options.hosts ?? [] }));
    // The defaults are the intervals at which pg_cron calls these functions on a hosted project.
    const { alertsEvery = 60_000, reconcileEvery = 3_600_000 } = options;
    for (const [name, everyMs] of [
      ["keyhub-alerts", alertsEvery],
      ["payment-webhook", reconcileEvery],
    ] as const)
      teardown.add(startTicks({ name, url, secretKey, everyMs, onLog: log }));
    const env = clientEnvironment(url, databaseUrl, secrets, place.demoPort, payments.url);
    if (options.envFile) teardown.add(publishEnvironment(options.envFile, place.runId, env));
    proceed();
    control.ready();
    return { url, databaseUrl, env, supabase, functions, stop: teardown.stop };
  } catch (error) {
    throw await control.abandon(error);
  }
}

function startDatabase(options: StackOptions, control: StartControl, { dataDir, runId }: StackPlace) {
  return supervisePostgres({
    dataDir: join(dataDir, "postgres"),
    port: options.dbPort ?? 0,
    env: { [runVariable]: runId },
    onLog: (line) => control.write("postgres", line),
    onLine: (line) => control.log(line),
    onLost: (message) => void control.fail(message),
    ...(options.postgresSettings ? { settings: options.postgresSettings } : {}),
  });
}

async function serveFunctions(
  options: StackOptions,
  control: StartControl,
  { url, upstreams, runId }: StackPlace,
  secrets: Secrets,
  payments: PaymentServer,
): Promise<Functions> {
  const alerts = setVariables(["KEYHUB_ALERT_URL", "KEYHUB_ALERT_SECRET"]);
  const settings = { ...alerts, ...paymentEnvironment(payments), ...options.functionEnv };
  return startFunctions({
    env: {
      ...functionEnvironment(url, secrets),
      ...upstreams,
      // A local log may contain whole errors, see functions/_shared/log.ts.
      KEYHUB_LOG_ERRORS: "full",
      ...settings,
      [runVariable]: runId,
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
    onGivenUp: (message) => void control.fail(message),
    ...(options.functionsDir ? { functionsDir: options.functionsDir } : {}),
  });
}

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

/** Returns the same promise, which is awaited later: if it rejects before that, the rejection does not end the process. */
function early<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
