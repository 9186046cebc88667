import { connectHubDatabase } from "../_shared/hub-database.ts";
import { hubImport } from "./handler.ts";

export default {
  fetch: hubImport({
    database: connectHubDatabase((name) => Deno.env.get(name)),
    uuid: () => crypto.randomUUID(),
  }),
};
