import { connectDatabase } from "../_shared/database.ts";
import { hubPublish } from "./handler.ts";

export default {
  fetch: hubPublish({ database: connectDatabase((name) => Deno.env.get(name)), random: Math.random }),
};
