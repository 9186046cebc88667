import { connectHubDatabase } from "../_shared/hub-database.ts";
import { readProvider } from "../_shared/payments/settings.ts";
import { hubCheckout } from "./handler.ts";

const environment = (name: string) => Deno.env.get(name);

export default {
  fetch: hubCheckout({
    database: connectHubDatabase(environment),
    provider: () => readProvider(environment),
  }),
};
