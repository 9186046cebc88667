import { createClient } from "@supabase/supabase-js";
import type { Secrets } from "../settings/secrets.ts";
import type { Supabase } from "../supabase/api.ts";

/** Creates an account with the demo password, through the auth API and not by inserting into auth.users. */
export async function signUp(supabase: Supabase, secrets: Secrets, email: string): Promise<string> {
  const client = createClient("http://127.0.0.1", secrets.publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false },
    global: { fetch: (input, init) => supabase.fetch(new Request(input, init)) },
  });
  const { data, error } = await client.auth.signUp({ email, password: secrets.demoPassword });
  if (error) throw error;
  if (!data.user) throw new Error("sign-up gave no user");
  return data.user.id;
}
