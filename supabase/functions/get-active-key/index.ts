import { readKeyring } from "@keyhub/core/seal";
import { connectDatabase, required } from "../_shared/database.ts";
import { OpenedKeys } from "../_shared/lease.ts";
import { getActiveKey } from "./handler.ts";

const environment = (name: string) => Deno.env.get(name);
let keyring: ReturnType<typeof readKeyring> | undefined;

export default {
  fetch: getActiveKey({
    database: connectDatabase(environment),
    keyring: () => (keyring ??= readKeyring(required(environment, "KEYHUB_UNSEAL_KEYS"))),
    opened: new OpenedKeys(Date.now),
    random: Math.random,
  }),
};
