import { lookup } from "node:dns/promises";
import { connectDatabase } from "../_shared/database.ts";
import { secretKeys } from "../_shared/environment.ts";
import { keyhubAlerts } from "./handler.ts";
import { readAlertSettings } from "./settings.ts";

const environment = (name: string) => Deno.env.get(name);
const allowLoopback = environment("KEYHUB_LOOPBACK_UPSTREAMS") === "allow";

export default {
  fetch: keyhubAlerts({
    database: connectDatabase(environment),
    settings: () => readAlertSettings(environment, allowLoopback),
    secretKeys: () => secretKeys(environment),
    sender: {
      fetch,
      allowLoopback,
      // If the look-up fails, the connection itself fails and gives the reason.
      resolve: async (host) =>
        (await lookup(host, { all: true }).catch(() => [])).map(({ address }) => address),
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    },
    now: () => performance.now(),
  }),
};
