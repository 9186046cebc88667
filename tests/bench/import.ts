import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import {
  type Copyable,
  contentHash,
  type PlannedRow,
  planListing,
} from "../../packages/core/src/hub/index.ts";
import { median, startCluster } from "./cluster.ts";

const ROUNDS = 60;
const ITEMS = 50;
/** The largest ratio of an import's time to that of the bare inserts. */
const TARGET = 3;

/**
 * Measures the import of a kit of 50 templates. The RPC and bare inserts of the same rows (one statement per table, one transaction) run in
 * turns, each time by a new user. The bench fails if the RPC takes more than three times as long.
 */
export async function benchImport(): Promise<void> {
  const cluster = await startCluster({});
  try {
    const { sql } = cluster;
    const users = await sql<{ id: string }[]>`
      insert into auth.users (id) select gen_random_uuid() from generate_series(1, ${2 * ROUNDS + 1}::int) returning id`;
    const kit = await publishKit(sql, users.pop()?.id ?? "");
    await sql`vacuum analyze`;
    const [one] = await cluster.callers(1);
    if (one === undefined) throw new Error("no connection");

    const times: Record<"import" | "bare inserts", number[]> = { import: [], "bare inserts": [] };
    const measure = async (what: keyof typeof times, work: () => Promise<unknown>) => {
      const started = performance.now();
      await work();
      times[what].push(performance.now() - started);
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      const [first = "", second = ""] = [users[2 * round]?.id, users[2 * round + 1]?.id];
      const steps = [
        () => measure("import", () => runImport(one, first, kit, planListing(kit, randomUUID))),
        () => measure("bare inserts", () => insertBare(one, second, kit, planListing(kit, randomUUID))),
      ];
      for (const step of round % 2 === 0 ? steps : steps.toReversed()) await step();
    }

    const ratio = median(times.import) / median(times["bare inserts"]);
    console.table(
      Object.entries(times).map(([what, values]) => ({ what, "p50 ms": median(values).toFixed(1) })),
    );
    console.log(`A kit of ${ITEMS}: an import takes ${ratio.toFixed(2)} × the bare inserts of its rows.`);
    const [made] = await sql`
      select (select count(*)::int from prompt_templates) as templates, (select count(*)::int from hub_imports) as imports`;
    if (made?.templates !== 2 * ROUNDS * ITEMS || made?.imports !== 2 * ROUNDS) {
      throw new Error(`not the same rows: ${JSON.stringify(made)}`);
    }
    if (ratio > TARGET) throw new Error(`an import takes more than ${TARGET} × the bare inserts`);
  } finally {
    await cluster.stop();
  }
}

/** Publishes a kit of `creator`: an orchestration with 50 templates of 2 KB. */
async function publishKit(sql: postgres.Sql, creator: string): Promise<Copyable> {
  const items = await Promise.all(
    Array.from({ length: ITEMS }, async (_, i) => {
      const payload = { name: `Item ${i}`, content: "Say hello to {{name}}. ".repeat(90), variables: [] };
      const sha256 = await contentHash(payload);
      return {
        asset_type: "template",
        ref_id: randomUUID(),
        title: `Item ${i}`,
        payload,
        sha256,
        license: "cc0",
      };
    }),
  );
  const payload = {
    nodes: [],
    edges: [],
    stage_configs: items.map(({ ref_id }, i) => ({ id: `s${i}`, prompt_template_id: ref_id, settings: {} })),
  };
  const [source] = await sql`
    insert into orchestrator_configs (user_id, name) values (${creator}, 'Kit') returning id`;
  const [row] = await sql`
    with made as (
      select private.publish_snapshot(
        user_id => ${creator}, asset_type => 'orchestration', ref_id => ${source?.id}, slug => 'kit', title => 'Kit',
        description => 'Fifty templates.', tags => '{}', license => 'cc0', payload => ${sql.json(payload)},
        sha256 => ${await contentHash(payload)}, items => ${sql.json(items)}
      ) as answer
    )
    select answer ->> 'asset_id' as id from made`;
  await sql`delete from orchestrator_configs where user_id = ${creator}`;
  const [found] = await sql<{ asset: Copyable }[]>`select hub_asset(${row?.id}) as asset`;
  if (found === undefined) throw new Error("no kit");
  return found.asset;
}

async function runImport(sql: postgres.Sql, user: string, kit: Copyable, rows: PlannedRow[]): Promise<void> {
  await sql`
    select hub_import(
      user_id => ${user}, rows => ${sql.json(rows as never)}, mode => 'use', asset_id => ${kit.id},
      version => ${kit.version}, sha256 => ${kit.sha256}
    )`;
}

/** Inserts the same rows into the same tables, with only the tables' own triggers. */
async function insertBare(sql: postgres.Sql, user: string, kit: Copyable, rows: PlannedRow[]): Promise<void> {
  const registry = rows.map((row) => ({
    ...{ asset_type: row.asset_type, ref_id: row.id, creator_id: user, slug: `copy-${randomUUID()}` },
    ...{ title: row.title, license: row.license, source_asset_id: kit.id },
    attribution: sql.json(row.attribution as never),
  }));
  const [main, ...items] = rows;
  await sql.begin(async (tx) => {
    await tx`insert into hub_assets ${tx(registry as never)}`;
    await tx`
      insert into orchestrator_configs ${tx([
        { id: main?.id, user_id: user, name: main?.title, ...jsonOf(tx, main?.columns) },
      ] as never)}`;
    await tx`
      insert into prompt_templates ${tx(
        items.map(({ id, title, columns }) => ({
          ...{ id, user_id: user, name: title, content: columns.content },
          variables: tx.json(columns.variables as never),
        })) as never,
      )}`;
    await tx`
      insert into hub_imports (asset_id, user_id, version, mode)
      values (${kit.id}, ${user}, ${kit.version}, 'use')`;
  });
}

function jsonOf(tx: postgres.TransactionSql, columns: Record<string, unknown> = {}) {
  return Object.fromEntries(Object.entries(columns).map(([name, value]) => [name, tx.json(value as never)]));
}
