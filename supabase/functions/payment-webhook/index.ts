import { connectDatabase } from "../_shared/database.ts";
import { secretKeys } from "../_shared/environment.ts";
import { readProvider } from "../_shared/payments/settings.ts";
import { paymentWebhook } from "./handler.ts";

const environment = (name: string) => Deno.env.get(name);

export default {
  fetch: paymentWebhook({
    database: connectDatabase(environment),
    provider: () => readProvider(environment),
    secretKeys: () => secretKeys(environment),
    now: () => new Date(),
  }),
};
