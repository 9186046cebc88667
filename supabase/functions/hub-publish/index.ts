import { connectHubDatabase } from "../_shared/hub-database.ts";
import { hubPublish } from "./handler.ts";

export default {
  fetch: hubPublish({ database: connectHubDatabase((name) => Deno.env.get(name)), random: Math.random }),
};
