import { connectDatabase } from "../_shared/database.ts";
import { setKeyState } from "./handler.ts";

export default {
  fetch: setKeyState({ database: connectDatabase((name) => Deno.env.get(name)), random: Math.random }),
};
