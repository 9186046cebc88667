import { join } from "node:path";
import { canonicalFolder, runningPostgres } from "./postgres/folder.ts";
import { endChild, takeOver } from "./processes/run-record.ts";
import {
  clearUnfinished,
  emptyDataFolder,
  isUnused,
  openDataFolder,
  requireSecretsWithDatabase,
} from "./settings/data-folder.ts";
import { requireIdleEnvFile, requireOwnEnvFile } from "./settings/env-file.ts";
import { upstreamEnvironment } from "./settings/environment.ts";
import { freePort, type ReservedPort, reservePort } from "./settings/ports.ts";
import { addSealPair, readOrMakeSecrets, type Secrets } from "./settings/secrets.ts";
import type { StartControl } from "./start-control.ts";

export interface PlaceOptions {
  dataDir: string;
  /** The port of the gateway; 0 or undefined means any free port. */
  port?: number;
  dbPort?: number;
  /** The file to which the settings are written when the stack is ready; none when undefined. */
  envFile?: string;
  /** Whether to delete first the data of earlier starts from the data folder. */
  fresh?: boolean;
  /** Whether to add a new seal pair, which seals from now on. The older pairs still open what they sealed. */
  newSealPair?: boolean;
}

/** The things that a stack occupies while it runs. */
export interface StackPlace {
  port: number;
  url: string;
  /** The port at which npm run demo starts its provider. */
  demoPort: number;
  /** The functions' settings about the providers that keyhub-gateway may call. */
  upstreams: Record<string, string>;
  dataDir: string;
  /** Identifies this run of the stack. */
  runId: string;
  /** Holds the gateway's port until the gateway listens. */
  reserved: ReservedPort;
}

/**
 * Takes the data folder and the ports. A refused start leaves nothing behind: a new folder is made only when everything else is free. An
 * existing folder is locked before the ports are taken, because the lock gives the better message for a second start on that folder.
 */
export async function takePlace(options: PlaceOptions, { teardown }: StartControl): Promise<StackPlace> {
  if (options.envFile) requireOwnEnvFile(options.envFile);
  const port = options.port || (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const demoPort = await freePort();
  const upstreams = upstreamEnvironment(demoPort);
  const isNew = isUnused(options.dataDir);
  let reserved = isNew ? await takePorts(options, teardown, port) : undefined;
  const dataDir = openDataFolder(options.dataDir);
  // This ends processes that a killed start left running, which may occupy the ports.
  const { id: runId } = teardown.add(await takeOver(dataDir, url));
  // End a Postgres that still runs on the folder although the record of its start is lost.
  const orphan = await runningPostgres(await canonicalFolder(join(dataDir, "postgres")));
  if (orphan !== undefined) await endChild(orphan);
  reserved ??= await takePorts(options, teardown, port);
  if (options.fresh) emptyDataFolder(dataDir);
  clearUnfinished(dataDir);
  return { port, url, demoPort, upstreams, dataDir, runId, reserved };
}

/** Takes the ports; refuses when another stack has the env file or a port. */
async function takePorts(
  { envFile, dbPort }: PlaceOptions,
  teardown: StartControl["teardown"],
  port: number,
): Promise<ReservedPort> {
  if (envFile) requireIdleEnvFile(envFile);
  // The URL contains the port, so the gateway's port is taken now, some seconds before the gateway listens.
  const reserved = await reservePort(port);
  teardown.add({ stop: reserved.release });
  if (dbPort) await (await reservePort(dbPort, "KEYHUB_DB_PORT")).release();
  return reserved;
}

/** Reads the secrets of the data folder, and adds a new seal pair if requested. */
export async function readSecrets(
  options: PlaceOptions,
  { log }: StartControl,
  { dataDir }: StackPlace,
): Promise<Secrets> {
  requireSecretsWithDatabase(dataDir);
  const secrets = await readOrMakeSecrets(dataDir);
  if (!options.newSealPair) return secrets;
  const added = await addSealPair(dataDir, secrets);
  const kid = added.unsealKeys[0]?.kid;
  log(
    `Seal pair ${kid} is new: it seals from now on, the old ones still open. To move the rows: npm run reseal`,
  );
  return added;
}
