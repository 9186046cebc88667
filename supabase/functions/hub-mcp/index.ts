import { required } from "../_shared/environment.ts";
import { connectHubDatabase } from "../_shared/hub-database.ts";
import { hubMcp } from "./handler.ts";

const environment = (name: string) => Deno.env.get(name);

export default {
  fetch: hubMcp({
    database: connectHubDatabase(environment),
    importAsset: (path, init) =>
      fetch(`${required(environment, "SUPABASE_URL")}/functions/v1/hub-import${path}`, init),
    origin: environment("KEYHUB_HUB_URL")?.replace(/\/+$/, "") ?? null,
  }),
};
