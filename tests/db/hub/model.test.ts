import { randomUUID } from "node:crypto";
import fc from "fast-check";
import type postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { refusalOf } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { makeAdmin, makeUsers, REPORT_THRESHOLD, sha256, wrongCounters } from "../../support/hub.ts";
import { Hub, type ModelAsset } from "../../support/model/hub.ts";

let db: Clone;
let admin: string;
/** One connection is enough, because the test performs one step at a time. */
let sql: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  admin = await makeAdmin(db.sql);
  sql = db.as("postgres" as never, 1);
});
afterAll(() => db.drop());

const STEPS = 200;
/** Enough users to hide a listing together, without its creator. */
const PEOPLE = REPORT_THRESHOLD + 3;
const index = fc.nat({ max: 999 });
const action = (weight: number, ...names: string[]) => ({ weight, arbitrary: fc.constantFrom(...names) });
const step = fc.record({
  do: fc.oneof(
    action(10, "publish"),
    action(16, "star"),
    action(5, "unstar"),
    action(8, "import"),
    action(34, "report"),
    action(3, "edit"),
    action(10, "unpublish", "republish", "delete"),
    action(12, "hide", "restore", "resolve", "resolve", "remove"),
    action(6, "ban", "unban", "unban"),
    action(3, "delete account"),
    action(6, "clear is_hidden", "resolve by hand", "delete row", "delete report", "delete star"),
  ),
  who: index,
  what: index,
  content: fc.nat({ max: 2 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const quoted = (value: string) => `'${value.replaceAll("'", "''")}'`;

/** Runs statements in one round trip and one transaction, as a signed-in user or as the operator. */
async function run(user: string | null, statement: string): Promise<string> {
  const claims =
    user === null
      ? "select 1"
      : `select set_config('request.jwt.claim.sub', ${quoted(user)}, true),
           set_config('request.jwt.claims', ${quoted(JSON.stringify({ sub: user }))}, true),
           set_config('role', 'authenticated', true)`;
  try {
    await sql.unsafe(`${claims}; ${statement}`);
    return "ok";
  } catch (error) {
    return refusalOf(error);
  }
}

async function runBoth(steps: Step[]): Promise<void> {
  const hub = new Hub();
  const people = await makeUsers(sql, PEOPLE);
  /** Two publishable items in the workspace of each user: user id → item ids. */
  const items = new Map<string, string[]>();
  const stock = async (user: string) => {
    const rows = await sql<{ id: string }[]>`
      insert into prompt_templates (user_id, name) select ${user}, 'An item' from generate_series(1, 2) returning id`;
    items.set(
      user,
      rows.map(({ id }) => id),
    );
  };
  for (const user of people) {
    hub.joined.add(user);
    await stock(user);
  }

  for (const what of steps) {
    const { expected, actual } = await act(what);
    expect(actual, what.do).toBe(expected);
    await compare();
  }
  expect(await wrongCounters(sql)).toEqual([]);

  async function act(what: Step): Promise<{ expected: string; actual: string }> {
    const slot = what.who % PEOPLE;
    const user = people[slot] ?? "";
    const asset = hub.assets[what.what % (hub.assets.length || 1)];
    const report = hub.reports[what.what % (hub.reports.length || 1)];
    const both = async (expected: string, as: string | null, statement: string) => ({
      expected,
      actual: await run(as, statement),
    });
    const rpc = (name: string, ...args: (string | null)[]) =>
      `select public.${name}(${args.map((arg) => (arg === null ? "null" : quoted(arg))).join(", ")})`;

    if (what.do === "publish") {
      const item = items.get(user)?.[what.what % 2] ?? "";
      const payload = { content: what.content };
      const actual = await run(
        null,
        `select private.publish_snapshot(${quoted(user)}, 'template', ${quoted(item)}, 'model', 'Model', 'A model', '{}',
          'cc0', ${quoted(JSON.stringify(payload))}, ${quoted(sha256(payload))})`,
      );
      const [row] = await sql`select id from hub_assets where ref_id = ${item}`;
      return { expected: hub.publish(user, item, what.content, row?.id), actual };
    }
    if (what.do === "ban") return both(hub.ban(user), admin, rpc("hub_ban_creator", user, null));
    if (what.do === "unban") return both(hub.unban(user), admin, rpc("hub_unban_creator", user));
    if (what.do === "delete account") {
      const done = await both(
        hub.deleteAccount(user),
        null,
        `delete from auth.users where id = ${quoted(user)}`,
      );
      const [fresh = ""] = await makeUsers(sql, 1);
      people[slot] = fresh;
      hub.joined.add(fresh);
      await stock(fresh);
      return done;
    }
    if (what.do.includes("report") || what.do.startsWith("resolve")) {
      if (what.do === "report" && asset) return reportAsset(user, asset);
      if (report === undefined) return { expected: "ok", actual: "ok" };
      if (what.do === "delete report") {
        hub.reports = hub.reports.filter((other) => other !== report);
        return both("ok", null, `delete from hub_reports where id = ${quoted(report.id)}`);
      }
      if (what.do === "resolve by hand") {
        if (report.outcome === null) hub.end(report, "dismissed");
        return both("ok", null, `update hub_reports set resolved = true where id = ${quoted(report.id)}`);
      }
      const outcome = what.content === 0 ? "upheld" : "dismissed";
      return both(hub.resolve(report, outcome), admin, rpc("hub_resolve_report", report.id, outcome, null));
    }
    if (asset === undefined) return { expected: "ok", actual: "ok" };
    const id = quoted(asset.id);
    switch (what.do) {
      case "star":
        return both(
          hub.star(user, asset),
          user,
          `insert into hub_stars (asset_id) values (${id}) on conflict do nothing`,
        );
      case "unstar":
        return both(hub.unstar(user, asset), user, `delete from hub_stars where asset_id = ${id}`);
      case "import":
        return both(
          hub.import(user, asset),
          null,
          `insert into hub_imports (asset_id, user_id, version, mode) values (${id}, ${quoted(user)}, 1, 'use')`,
        );
      case "edit":
        return both(hub.edit(user, asset), user, `update hub_assets set tags = '{edited}' where id = ${id}`);
      case "unpublish":
        return both(hub.unpublish(user, asset), user, rpc("hub_unpublish_asset", asset.id));
      case "republish":
        return both(hub.republish(user, asset), user, rpc("hub_republish_asset", asset.id));
      case "delete":
        return both(hub.delete(user, asset), user, rpc("hub_delete_asset", asset.id));
      case "hide":
        return both(hub.hide(asset), admin, rpc("hub_hide_asset", asset.id, "A model's note."));
      case "restore":
        return both(hub.restore(asset), admin, rpc("hub_restore_asset", asset.id, null));
      case "remove":
        return both(hub.remove(asset), admin, rpc("hub_remove_asset", asset.id, null));
      case "clear is_hidden":
        return both(hub.clearHidden(asset), null, `update hub_assets set is_hidden = false where id = ${id}`);
      case "delete row":
        return both(hub.deleteRow(asset), null, `delete from hub_assets where id = ${id}`);
      case "delete star": {
        asset.stars.delete(user);
        return both("ok", null, `delete from hub_stars where asset_id = ${id} and user_id = ${quoted(user)}`);
      }
      default:
        throw new Error(`no action ${what.do}`);
    }
  }

  async function reportAsset(user: string, asset: ModelAsset) {
    const actual = await run(
      user,
      `insert into hub_reports (asset_id, reason) values (${quoted(asset.id)}, 'spam')`,
    );
    const [row] = await sql`
      select id from hub_reports where asset_id = ${asset.id} and reporter_id = ${user} order by created_at desc limit 1`;
    return { expected: hub.report(user, asset, row?.id ?? randomUUID()), actual };
  }

  /** Compares the whole state: every asset with its counters, and every report. */
  async function compare() {
    const ids = hub.assets.map(({ id }) => id);
    const [state] = await sql`
      select
        (select coalesce(jsonb_object_agg(a.id, jsonb_build_object(
          'creator', a.creator_id, 'version', a.current_version, 'public', a.is_public, 'hidden', a.hidden_reason,
          'banned', a.hidden_by_ban, 'deleted', a.deleted_at is not null, 'visible', a.is_visible,
          'stars', a.star_count, 'installs', a.install_count, 'open', m.open_reports, 'counting', m.counting_reports,
          'content', exists (select from hub_asset_versions v where v.asset_id = a.id and v.version = a.current_version),
          'mirror', (select t.hub_asset_id is not null from prompt_templates t where t.id = a.ref_id)
        )), '{}')
        from hub_assets a join private.hub_moderation m on m.asset_id = a.id where a.id = any(${ids})) as assets,
        (select coalesce(jsonb_object_agg(r.id, jsonb_build_array(r.reporter_id, r.outcome, r.resolved, r.version)), '{}')
        from hub_reports r where r.asset_id = any(${ids})) as reports,
        (select count(*)::int from private.hub_bans where user_id = any(${people})) as bans`;
    expect(state?.assets).toEqual(
      Object.fromEntries(
        hub.assets.map((asset) => {
          const open = hub.open(asset);
          return [
            asset.id,
            {
              creator: asset.creator,
              version: asset.version,
              public: asset.public,
              hidden: asset.hidden,
              banned: asset.banned,
              deleted: asset.deleted,
              visible: hub.visible(asset),
              stars: asset.stars.size,
              installs: [...asset.importers].filter((user) => user !== asset.creator).length,
              open: open.length,
              counting: open.filter(({ counts }) => counts).length,
              content: asset.hasContent,
              mirror: asset.creator === null ? null : !asset.deleted,
            },
          ];
        }),
      ),
    );
    expect(state?.reports).toEqual(
      Object.fromEntries(
        hub.reports.map(({ id, reporter, outcome, version }) => [
          id,
          [reporter, outcome, outcome !== null, version],
        ]),
      ),
    );
    expect(state?.bans).toBe(hub.banned.size);
  }
}

test("random actions of everybody agree with the model after every step, and every counter is its rows", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: STEPS, maxLength: STEPS, size: "max" }), runBoth),
    {
      numRuns: Number(process.env.KEYHUB_MODEL_RUNS ?? 5),
      endOnFailure: process.env.KEYHUB_SHRINK === undefined,
    },
  );
}, 600_000);
