import type { ToolEnvironment } from "../environment.ts";
import { CommandFailure } from "../failure.ts";
import type { ProjectDatabase } from "./database.ts";

/**
 * Connects to the project that the settings name: SUPABASE_DB_URL, or SUPABASE_URL and SUPABASE_SECRET_KEY. The settings come from the
 * env file or from the environment, never from both, so one project's URL is not used with another's key. The first of the two that names
 * a project is used. Of the two database libraries only the needed one is loaded, because both are slow to load.
 */
export async function connect(environment: ToolEnvironment): Promise<ProjectDatabase> {
  for (const {
    SUPABASE_DB_URL: database,
    SUPABASE_URL: url,
    SUPABASE_SECRET_KEY: key,
  } of environment.layers) {
    if (database?.trim()) return (await import("./sql.ts")).connectBySql(database.trim());
    if (url?.trim() && key?.trim()) {
      if (!/^https?:\/\/[^/]+\/?$/.test(url.trim()))
        throw new CommandFailure("SUPABASE_URL is not the URL of a project");
      return (await import("./rest.ts")).connectByRest(url.trim(), key.trim());
    }
  }
  throw new CommandFailure(
    `no project is named: set SUPABASE_DB_URL, or SUPABASE_URL and SUPABASE_SECRET_KEY, in the environment or in ${environment.file}`,
  );
}
