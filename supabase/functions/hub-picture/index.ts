import { connectHubDatabase } from "../_shared/hub-database.ts";
import { hubPicture } from "./handler.ts";

export default { fetch: hubPicture({ database: connectHubDatabase((name) => Deno.env.get(name)) }) };
