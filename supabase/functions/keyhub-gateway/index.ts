import { lookup } from "node:dns/promises";
import { waitBy } from "@keyhub/core/rotate";
import { readKeyring } from "@keyhub/core/seal";
import { readUpstreams, type Upstreams } from "@keyhub/core/upstream";
import { connectDatabase, required } from "../_shared/database.ts";
import { OpenedKeys } from "../_shared/lease.ts";
import { SafeError } from "../_shared/log.ts";
import { cacheAddresses } from "./address-cache.ts";
import { keyhubGateway } from "./handler.ts";
import { createLeaseManager } from "./lease-manager.ts";
import { readLimits } from "./limits.ts";
import { providerFetch } from "./provider-fetch.ts";

const environment = (name: string) => Deno.env.get(name);
const wait = waitBy({
  setTimeout: (call, ms) => setTimeout(call, ms),
  clearTimeout: (timer) => clearTimeout(timer),
});
const now = () => performance.now();
const database = connectDatabase(environment);
const allowLoopback = environment("KEYHUB_LOOPBACK_UPSTREAMS") === "allow";

let keyring: ReturnType<typeof readKeyring> | undefined;
let upstreams: Upstreams | undefined;

/** The platform's object that can keep an isolate alive after an answer. */
const { EdgeRuntime } = globalThis as { EdgeRuntime?: { waitUntil(work: Promise<unknown>): void } };

function configured(): Upstreams {
  try {
    return readUpstreams(environment("KEYHUB_UPSTREAMS"), { allowLoopback });
  } catch (error) {
    // The message may be logged: it names an entry of the setting, and contains nothing of a request.
    throw new SafeError((error as Error).message);
  }
}

export default {
  fetch: keyhubGateway({
    ...readLimits(environment),
    database,
    leaseManager: createLeaseManager({
      database,
      keyring: () => (keyring ??= readKeyring(required(environment, "KEYHUB_UNSEAL_KEYS"))),
      opened: new OpenedKeys(Date.now),
      wait,
      now,
      random: Math.random,
      background: (work) => EdgeRuntime?.waitUntil(work),
    }),
    fetch: providerFetch(fetch),
    wait,
    now,
    upstreams: () => (upstreams ??= configured()),
    resolve: cacheAddresses(
      async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
      now,
    ),
    allowLoopback,
  }),
};
