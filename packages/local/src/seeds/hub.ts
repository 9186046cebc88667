import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { oneLine, StartFailure } from "../failure.ts";
import { withDatabase } from "../postgres/connection.ts";
import { adminEmail } from "../settings/environment.ts";
import { repositoryRoot } from "../settings/paths.ts";
import type { Secrets } from "../settings/secrets.ts";
import type { Supabase } from "../supabase/api.ts";
import { signUp } from "./sign-up.ts";

/**
 * Seeds the demo hub, as `supabase start` does. Also seeds a listing for sale, and an admin who signs in with the demo user's password. A
 * second call adds nothing.
 */
export async function seedHub(databaseUrl: string, supabase: Supabase, secrets: Secrets): Promise<void> {
  try {
    await withDatabase(databaseUrl, async (sql) => {
      for (const file of ["hub.sql", "selling.sql"])
        await sql.unsafe(await readFile(join(repositoryRoot, "supabase", "seeds", file), "utf8"));
      const [user] = await sql<{ id: string }[]>`select id from auth.users where email = ${adminEmail}`;
      const id = user?.id ?? (await signUp(supabase, secrets, adminEmail));
      await sql`insert into public.hub_admins (user_id) values (${id}) on conflict do nothing`;
    });
  } catch (error) {
    throw new StartFailure(`the demo hub could not be created: ${oneLine(error)}`);
  }
}
