import { availableParallelism } from "node:os";
import type postgres from "postgres";
import { median, startCluster } from "./cluster.ts";

const ASSETS = 20_000;
const WRITERS = 100;
const WRITES = 100;

/**
 * Measures 200 writers at once on 20,000 assets. Half of the writers star and unstar, the others report. Each half makes a third of its
 * writes on a single asset. The bench fails if there is a deadlock, or if a counter at the end differs from the number of its rows.
 */
export async function benchHub(): Promise<void> {
  const cluster = await startCluster({ max_connections: "260" });
  try {
    const { sql } = cluster;
    const [creator = ""] = await makeUsers(sql, 1);
    const assets = await sql.begin(async (tx) => {
      const rows = await tx<{ id: string }[]>`
        insert into hub_assets (asset_type, ref_id, creator_id, slug, title, is_public, current_version)
        select 'template', gen_random_uuid(), ${creator}, 'asset-' || i, 'Asset ' || i, true, 1
        from generate_series(1, ${ASSETS}::int) i returning id`;
      await tx`
        insert into hub_asset_versions (asset_id, version, payload, sha256, license)
        select id, 1, '{}', repeat('0', 64), 'cc0' from hub_assets where creator_id = ${creator}`;
      return rows;
    });
    const ids = assets.map(({ id }) => id);
    const users = await makeUsers(sql, 2 * WRITERS);
    await sql`vacuum analyze`;
    const writers = await cluster.callers(2 * WRITERS);
    process.stderr.write(`made ${ASSETS} assets, ${users.length} users\n`);

    const refusals = new Map<string, number>();
    const times: Record<"star" | "unstar" | "report", number[]> = { star: [], unstar: [], report: [] };
    // The hot asset of the reporters is another one than the hot asset of those who star, because so many reports soon hide an asset.
    const [reported = "", starred = ""] = ids;
    const some = (hot: string) =>
      Math.random() < 1 / 3 ? hot : (ids[Math.floor(Math.random() * ids.length)] ?? hot);

    async function write(
      who: postgres.Sql,
      user: string,
      what: keyof typeof times,
      asset: string,
    ): Promise<void> {
      const statement = {
        star: "insert into hub_stars (asset_id) values ($1) on conflict do nothing",
        unstar: "delete from hub_stars where asset_id = $1",
        report: "insert into hub_reports (asset_id, reason) values ($1, 'spam')",
      }[what];
      const started = performance.now();
      try {
        await who.begin(async (tx) => {
          await tx`
            select set_config('request.jwt.claim.sub', ${user}, true), set_config('role', 'authenticated', true),
              set_config('request.jwt.claims', ${JSON.stringify({ sub: user })}, true)`;
          await tx.unsafe(statement, [asset]);
        });
        times[what].push(performance.now() - started);
      } catch (error) {
        const { code, message } = error as postgres.PostgresError;
        const name = code.startsWith("PT") ? message : code;
        refusals.set(name, (refusals.get(name) ?? 0) + 1);
      }
    }

    const started = performance.now();
    await Promise.all(
      writers.map(async (who, i) => {
        const user = users[i] ?? "";
        for (let n = 0; n < WRITES; n += 1) {
          if (i < WRITERS) await write(who, user, n % 3 === 2 ? "unstar" : "star", some(starred));
          else await write(who, user, "report", some(reported));
        }
      }),
    );
    const seconds = (performance.now() - started) / 1000;
    const wrong = await sql`select * from hub_check_counters()`;
    const [hidden] = await sql`select is_hidden from hub_assets where id = ${reported}`;

    console.table(
      Object.entries(times).map(([what, values]) => ({
        what,
        done: values.length,
        "p50 ms": median(values).toFixed(2),
        "p99 ms": (values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0).toFixed(2),
      })),
    );
    console.log(
      `${2 * WRITERS} writers on ${ASSETS} assets and ${availableParallelism()} cores: ${Math.round((2 * WRITERS * WRITES) / seconds)} a second.`,
      `Refused: ${[...refusals].map(([name, count]) => `${name} ${count}`).join(", ") || "none"}.`,
      `Wrong counters: ${wrong.length}. The asset that everybody reported is ${hidden?.is_hidden ? "" : "NOT "}hidden.`,
    );
    // No deadlock may occur, and only the refusals of the rules are expected.
    const expected = ["42501", "already_reported", "too_many_open_reports"];
    const odd = [...refusals.keys()].filter((name) => !expected.includes(name));
    if (wrong.length > 0 || odd.length > 0 || !hidden?.is_hidden) {
      throw new Error(`the hub did not hold: ${JSON.stringify({ wrong, odd })}`);
    }
  } finally {
    await cluster.stop();
  }
}

async function makeUsers(sql: postgres.Sql, count: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    insert into auth.users (id) select gen_random_uuid() from generate_series(1, ${count}::int) returning id`;
  return rows.map(({ id }) => id);
}
