import { connectDatabase } from "../_shared/database.ts";
import { hubImport } from "./handler.ts";

export default {
  fetch: hubImport({
    database: connectDatabase((name) => Deno.env.get(name)),
    uuid: () => crypto.randomUUID(),
  }),
};
