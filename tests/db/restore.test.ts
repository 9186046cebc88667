import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { signedIn } from "../support/actors.ts";
import { repository } from "../support/cli.ts";
import { type Clone, cloneDatabase } from "../support/database.ts";
import {
  importAsset,
  makeAsset,
  makeUser,
  publish,
  reportAsset,
  star,
  wrongCounters,
} from "../support/hub.ts";
import { addKey, lease, pair } from "../support/keys.ts";

let full: Clone;
let fresh: Clone;
let page: string;
beforeAll(async () => {
  [full, fresh] = [await cloneDatabase(), await cloneDatabase()];
  page = await readFile(join(repository, "docs", "operate", "backup-and-restore.md"), "utf8");
});
afterAll(async () => {
  await full.drop();
  await fresh.drop();
});

/** Returns the names of the tables that the dump in the documentation contains. */
const tables = (db: Clone) =>
  db.sql<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname in ('public', 'private') or (schemaname, tablename) in (('auth', 'users'), ('auth', 'identities'))
    order by 1`.then((rows) => rows.map(({ name }) => name));

/** Returns the columns that COPY includes: not the generated ones. */
const columns = async (db: Clone, table: string) => {
  const rows = await db.sql<{ name: string }[]>`
    select format('%I', attname) as name from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`;
  return rows.map(({ name }) => name).join(", ");
};

const emptied = () => /--command 'truncate ([a-z_., ]+)'/.exec(page)?.[1]?.split(", ") ?? [];

/** Returns a digest of a table's rows that does not depend on their order. */
async function digest(db: Clone, table: string): Promise<string> {
  const [row] = await db.sql<{ digest: string }[]>`
    select count(*) || ' ' || coalesce(md5(string_agg(t::text, chr(10) order by t::text)), '') as digest
    from ${db.sql(table)} t`;
  return row?.digest ?? "";
}

/** Adds rows to as many tables as a real project uses. */
async function fill(db: Clone): Promise<{ owner: string; token: string }> {
  const owner = await makeUser(db.sql);
  const keys = [await addKey(db.sql, owner), await addKey(db.sql, owner, { provider: "openai" })];
  const [issued] = await db.sql<{ token: string }[]>`select issue_agent_token(${owner}, 'agent') as token`;
  for (let i = 0; i < 5; i += 1) await lease(db.as("service_role", 1), owner);
  await db.sql`
    update api_key_health set blocked_until = now() + interval '1 day', consecutive_failures = 3
    where user_api_key_id = ${keys[1] ?? ""}`;
  const { id } = await makeAsset(db.sql, { slug: "restored", tags: ["marketing"] });
  const fan = await makeUser(db.sql);
  await star(signedIn(db, fan), id);
  await reportAsset(signedIn(db, fan), id);
  const copy = await importAsset(db.sql, fan, id, "remix");
  await publish(db.sql, fan, { refId: copy.refId, slug: "restored-remix" });
  await db.sql`select hub_refresh_discovery()`;
  return { owner, token: issued?.token ?? "" };
}

/** Compares every table of both databases, and checks the counts of the restored one. */
async function expectRestored(from: Clone, to: Clone): Promise<void> {
  for (const table of await tables(from))
    expect(`${table} ${await digest(to, table)}`).toBe(`${table} ${await digest(from, table)}`);
  expect(await wrongCounters(to.sql)).toEqual([]);
  expect(await to.sql`select state, count(*)::int from api_key_states group by 1 order by 1`).toEqual(
    await from.sql`select state, count(*)::int from api_key_states group by 1 order by 1`,
  );
}

test("the page empties exactly the tables in which the migrations leave rows", async () => {
  const left: string[] = [];
  for (const table of await tables(fresh))
    if ((await fresh.sql`select from ${fresh.sql(table)} limit 1`).length > 0) left.push(table);
  expect(emptied()).toEqual(left);
  expect(left).not.toEqual([]);
});

test("rows come back equal in a fresh database, by COPY in the page's order; agents work with their tokens", async () => {
  const { token } = await fill(full);
  await fresh.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx.unsafe(`truncate ${emptied().join(", ")}`);
    for (const table of await tables(full)) {
      const list = await columns(full, table);
      const out = await full.sql.unsafe(`copy ${table} (${list}) to stdout`).readable();
      const into = await tx.unsafe(`copy ${table} (${list}) from stdin`).writable();
      await pipeline(out, into);
    }
  });
  await expectRestored(full, fresh);
  const [row] = await fresh.as("service_role", 1)<{ answer: { kind: string } }[]>`
    select lease_api_key(token_hash => encode(sha256(convert_to(${token}, 'UTF8')), 'hex'), live_kids => ${[pair.kid]}) as answer`;
  expect(row?.answer.kind).toBe("leased");
});

/** The version of pg_dump on the PATH; 0 when there is none. */
const dumpVersion = await promisify(execFile)("pg_dump", ["--version"]).then(
  ({ stdout }) => Number(/\d+/.exec(stdout)?.[0] ?? 0),
  () => 0,
);

test.runIf(dumpVersion >= 17)(
  "the page's own commands bring every row back",
  { timeout: 60_000 },
  async () => {
    const [from, to] = [await cloneDatabase(), await cloneDatabase()];
    const folder = await mkdtemp(join(tmpdir(), "keyhub-dump-"));
    try {
      await fill(from);
      const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, code = ""]) => code);
      const command = (begin: string) => blocks.find((code) => code.startsWith(begin)) ?? "exit 1";
      const run = (code: string, url: string) =>
        promisify(execFile)("sh", ["-c", code], {
          cwd: folder,
          env: { ...process.env, SUPABASE_DB_URL: url },
        });
      await run(command("pg_dump"), from.url);
      await run(command("psql"), to.url);
      await expectRestored(from, to);
    } finally {
      await from.drop();
      await to.drop();
      await rm(folder, { recursive: true, force: true });
    }
  },
);
