import { CommandFailure } from "./command.ts";
import { readToolEnvironment } from "./tool-environment.ts";

/**
 * Returns the database URL of the stack that `npm start` runs here; undefined when no stack runs. It reads only the stack's env file,
 * because SUPABASE_DB_URL in the environment may name a hosted project.
 */
export function runningDatabase(): string | undefined {
  const environment = readToolEnvironment({ KEYHUB_ENV_FILE: process.env.KEYHUB_ENV_FILE });
  if (!environment.hasFile) return undefined;
  const url = environment.need("SUPABASE_DB_URL");
  if (["127.0.0.1", "localhost", "[::1]"].includes(new URL(url).hostname)) return url;
  throw new CommandFailure(`SUPABASE_DB_URL of ${environment.file} is not a database on this machine`);
}
