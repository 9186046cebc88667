import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  bootstrapDatabase,
  createSupabase,
  type Gateway,
  type Postgres,
  type Supabase,
  startGateway,
  startPostgres,
  withDatabase,
} from "../../packages/local/src/index.ts";
import { until } from "../support/until.ts";
import { scratchFolder, withoutDurability } from "./scratch.ts";

const schema = `
  create table public.diary (
    id int primary key generated always as identity,
    owner uuid not null default auth.uid(),
    title text not null,
    secret text not null default 'nobody reads this',
    written_at timestamptz not null default '2026-01-01 12:00:00.5+02',
    tags text[] not null default '{a,b}'
  );
  alter table public.diary enable row level security;
  revoke all on public.diary from anon, authenticated;
  grant select (id, owner, title, written_at, tags), insert (title), update (title) on public.diary to authenticated;
  create policy own on public.diary for all to authenticated
    using (owner = (select auth.uid())) with check (owner = (select auth.uid()));
  create table public.forgotten (id int);
  create function public.echo(document jsonb, plain json default null) returns jsonb
    language sql immutable set search_path = ''
    as 'select pg_catalog.jsonb_build_object(''document'', document, ''type'', pg_catalog.jsonb_typeof(document))';
  create function public.patience() returns text language sql stable set search_path = ''
    as $$ select pg_catalog.current_setting('statement_timeout') $$;
  create function public.closed() returns int language sql as 'select 1';
  revoke execute on function public.closed from public, anon, authenticated;
`;
const keys = {
  publishableKey: "sb_publishable_test",
  secretKey: "sb_secret_test",
  jwtSecret: "a test's secret of at least 32 characters",
};

const folder = scratchFolder();
let database: Postgres;
let supabase: Supabase;
let gateway: Gateway;
let anon: SupabaseClient;
let writer: SupabaseClient;
let operator: SupabaseClient;

const client = (key: string) =>
  createClient(gateway.url, key, { auth: { persistSession: false, autoRefreshToken: false } });

beforeAll(async () => {
  database = await startPostgres({ dataDir: `${folder.path}/pg`, port: 0, settings: withoutDurability });
  await bootstrapDatabase(database.url);
  // Repeat the bootstrap, as every start does.
  await bootstrapDatabase(database.url);
  await withDatabase(database.url, (sql) => sql.unsafe(schema));
  supabase = createSupabase({ databaseUrl: database.url, ...keys });
  gateway = await startGateway({ port: 0, supabase });
  anon = client(keys.publishableKey);
  operator = client(keys.secretKey);
  writer = client(keys.publishableKey);
  const { data, error } = await writer.auth.signUp({
    email: "writer@example.com",
    password: "correct horse",
  });
  expect(error).toBeNull();
  expect(data.session?.access_token).toBeTruthy();
});

afterAll(async () => {
  await gateway?.stop();
  await supabase?.stop();
  await database?.stop();
  folder.remove();
});

describe("grants hold over HTTP", () => {
  test("a column that was not granted stays forbidden, after writing, too", async () => {
    expect((await writer.from("diary").insert({ title: "Monday" })).status).toBe(201);
    expect((await writer.from("diary").select("title")).data).toEqual([{ title: "Monday" }]);
    for (const columns of ["secret", "title, secret", "*"]) {
      expect(await writer.from("diary").select(columns)).toMatchObject({
        status: 403,
        error: { code: "42501" },
      });
    }
    for (const values of [{ secret: "mine" }, { title: "x", owner: crypto.randomUUID() }]) {
      expect(await writer.from("diary").update(values).eq("id", 1)).toMatchObject({ status: 403 });
      expect(await writer.from("diary").insert({ title: "x", ...values })).toMatchObject({ status: 403 });
    }
    expect(await writer.from("diary").delete().eq("id", 1)).toMatchObject({ status: 403 });
  });

  test("anon sees nothing of it, and the operator everything", async () => {
    expect(await anon.from("diary").select("id")).toMatchObject({ status: 401, error: { code: "42501" } });
    const { data } = await operator.from("diary").select("*");
    expect(data).toMatchObject([{ title: "Monday", secret: "nobody reads this" }]);
  });

  test("a table that forgot its revokes is open, as on an older hosted project", async () => {
    expect((await anon.from("forgotten").insert({ id: 1 })).status).toBe(201);
  });

  test("a statement of a request ends, a guest's after 3 s as on a hosted project", async () => {
    const limits = { anon: "3s", writer: "8s", operator: "8s" };
    for (const [name, caller] of Object.entries({ anon, writer, operator }))
      expect({ [name]: (await caller.rpc("patience")).data }).toEqual({
        [name]: limits[name as keyof typeof limits],
      });
  });

  test("a function that was revoked cannot be called", async () => {
    for (const caller of [anon, writer]) {
      expect((await caller.rpc("closed")).error).toMatchObject({ code: "42501" });
    }
    expect((await operator.rpc("closed")).data).toBe(1);
  });

  test("without a key, or with a key or token that is none: 401", async () => {
    const status = async (headers: Record<string, string>) =>
      (await fetch(`${gateway.url}/rest/v1/diary?select=id`, { headers })).status;
    const { publishableKey: apikey } = keys;
    expect(await status({})).toBe(401);
    expect(await status({ apikey: "sb_publishable_other" })).toBe(401);
    expect(await status({ apikey, authorization: "Bearer not.a.token" })).toBe(401);
  });
});

describe("values arrive as they were sent", () => {
  test.each([[{ a: [1, { b: "ü" }], c: null }], [[1, "two", { three: [] }]], [{}], [[]]])(
    "%j",
    async (document) => {
      const type = Array.isArray(document) ? "array" : "object";
      expect((await operator.rpc("echo", { document, plain: document })).data).toEqual({ document, type });
    },
  );

  test("timestamps are ISO 8601, arrays are arrays", async () => {
    const { data } = await writer.from("diary").select("written_at, tags").single();
    expect(data).toEqual({ written_at: "2026-01-01T10:00:00.5+00:00", tags: ["a", "b"] });
  });
});

describe("auth", () => {
  test("claims can be read, and sign-in works", async () => {
    const { data } = await writer.auth.getClaims();
    expect(data?.claims).toMatchObject({ role: "authenticated", email: "writer@example.com" });
    const signedIn = await client(keys.publishableKey).auth.signInWithPassword({
      email: "writer@example.com",
      password: "correct horse",
    });
    expect(signedIn.data.user?.id).toBe(data?.claims.sub);
  });

  test("a token past its time is refused", async () => {
    const shortLived = createSupabase({ databaseUrl: database.url, ...keys, jwtExpiry: -10 });
    const ask = (path: string, init: RequestInit) => {
      const headers = { "content-type": "application/json", apikey: keys.publishableKey, ...init.headers };
      return shortLived.fetch(new Request(`http://127.0.0.1${path}`, { ...init, headers }));
    };
    const body = JSON.stringify({ email: "writer@example.com", password: "correct horse" });
    const session = await (await ask("/auth/v1/token?grant_type=password", { method: "POST", body })).json();
    const authorization = `Bearer ${session.access_token}`;
    expect((await ask("/rest/v1/diary?select=id", { headers: { authorization } })).status).toBe(401);
    await shortLived.stop();
  });
});

test("new tables are known by themselves", async () => {
  await withDatabase(database.url, (sql) => sql`create table public.later (id int)`);
  await until(async () => (await operator.from("later").select("id")).status === 200);
  await withDatabase(database.url, (sql) => sql`drop table public.later`);
  await until(async () => (await operator.from("later").select("id")).status === 404);
});

test("a backend that is killed: 503 until the server has recovered, nothing else", async () => {
  // Do not use the client library, which retries by itself after a 503.
  const ask = async () => {
    const headers = { apikey: keys.secretKey };
    // No answer of the server takes that long.
    const signal = AbortSignal.timeout(60_000);
    return (await fetch(`${gateway.url}/rest/v1/diary?select=id`, { headers, signal })).status;
  };
  const [backend] = await withDatabase(
    database.url,
    (sql) =>
      sql<{ pid: number }[]>`select pid from pg_stat_activity where backend_type = 'client backend' limit 1`,
  );
  process.kill(backend?.pid ?? Number.NaN, "SIGKILL");
  const seen = new Set<number>();
  const asked: Promise<number>[] = [];
  for (let round = 0; round < 40; round++) {
    asked.push(ask());
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  for (const status of await Promise.all(asked)) seen.add(status);
  await until(async () => (await ask()) === 200);
  expect([...seen].filter((status) => status !== 200 && status !== 503)).toEqual([]);
});
