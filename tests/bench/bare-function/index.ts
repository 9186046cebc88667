import { createClient, type SupabaseClient } from "@supabase/supabase-js";

// This declaration is here because the type checker of this folder does not know Deno.
declare const Deno: { env: { get(name: string): string | undefined } };

let client: SupabaseClient | undefined;

/** The smallest possible function: one client, one RPC. The benches compare the real functions with it. */
export default {
  async fetch(request: Request): Promise<Response> {
    client ??= createClient(
      Deno.env.get("SUPABASE_URL") ?? "",
      JSON.parse(Deno.env.get("SUPABASE_SECRET_KEYS") ?? "{}").default,
      { auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false } },
    );
    const { data, error } = await client.rpc(
      Deno.env.get("BENCH_RPC") ?? "lease_api_key",
      await request.json(),
    );
    return Response.json(error ?? data, { status: error === null ? 200 : 500 });
  },
};
