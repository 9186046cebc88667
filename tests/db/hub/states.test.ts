import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { attempt, type Outcome, operator, signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  addSource,
  call,
  makeAdmin,
  makeUser,
  makeUsers,
  publish,
  REPORT_THRESHOLD,
  reportAsset,
  type Snapshot,
  stateOf,
  wrongCounters,
} from "../../support/hub.ts";
import { join, makeTeam, type Team } from "../../support/organizations.ts";
import { tablesOf } from "../../support/tables.ts";

const tables = await tablesOf("reference/states.md");
tables.delete("The states of a key");
const actions = [...tables].flatMap(([heading, rows]) =>
  rows.flatMap(({ state = "", ...cells }) =>
    Object.entries(cells).map(([action, result]) => ({ heading, state, action, result })),
  ),
);

let db: Clone;
let admin: string;
let team: Team;
/** Users who have reported nothing. */
let reporters: string[];
beforeAll(async () => {
  db = await cloneDatabase();
  admin = await makeAdmin(db.sql);
  team = await makeTeam(db);
  reporters = await makeUsers(db.sql, REPORT_THRESHOLD - 1);
});
afterAll(() => db.drop());

interface Listing {
  id: string;
  creator: string;
  refId: string;
  state: string;
  /** The report that was made while the listing was visible; undefined for a listing that never was visible. */
  report: string | undefined;
}

/** The database, or a transaction in it. */
type Place = Pick<Clone, "sql">;
const moderate = (at: Place, name: string, ...args: string[]) => call(signedIn(at, admin), name, ...args);
const own = (at: Place, { creator, id }: Listing, name: string) => call(signedIn(at, creator), name, id);

/** Makes a listing and brings it into the given state by actions of users. */
async function bringTo(state: string): Promise<Listing> {
  const creator = await makeUser(db.sql);
  const refId = await addSource(db.sql, creator);
  if (state === "private") {
    const [row] = await db.sql`
      insert into hub_assets (asset_type, ref_id, creator_id, slug, title)
      values ('template', ${refId}, ${creator}, ${refId}, 'A copy') returning id`;
    return { id: row?.id, creator, refId, state, report: undefined };
  }
  const shared = state.startsWith("shared");
  if (shared) await join(db.sql, team.id, creator);
  const { asset_id: id } = await publish(db.sql, creator, {
    refId,
    ...(shared && { organization: team.slug }),
  });
  const reporter = await makeUser(db.sql);
  if (shared) await join(db.sql, team.id, reporter);
  const reported = await reportAsset(signedIn(db, reporter), id);
  const listing = {
    id,
    creator,
    refId,
    state,
    report: "rows" in reported ? reported.rows[0]?.id : undefined,
  };
  const [base, ...marks] = state.split(" ");
  if (marks.includes("hidden") || base === "removed") await moderate(db, "hub_hide_asset", id, "For a test.");
  if (base === "unpublished") await own(db, listing, "hub_unpublish_asset");
  if (base === "deleted") await own(db, listing, "hub_delete_asset");
  if (base === "removed") await moderate(db, "hub_remove_asset", id, "For a test.");
  if (marks.includes("banned")) await moderate(db, "hub_ban_creator", creator, "For a test.");
  expect(await stateOf(db.sql, id)).toBe(state);
  return listing;
}

const listings = new Map<string, Promise<Listing>>();
/** Returns the listing in the given state. All actions are tried on the same one, because `tried` rolls each action back. */
function listingIn(state: string): Promise<Listing> {
  const listing = listings.get(state) ?? bringTo(state);
  listings.set(state, listing);
  return listing;
}

type Action = (at: Place, listing: Listing) => Promise<Outcome>;

const edit =
  (columns: string): Action =>
  (at, listing) =>
    attempt(operator(at), (tx) =>
      tx.unsafe(`update hub_assets set ${columns} where id = $1 returning id`, [listing.id]),
    );
const publishing = (at: Place, { creator, refId }: Listing, more: Snapshot = {}) =>
  attempt(operator(at), (tx) => publish(tx as never, creator, { refId, ...more }));

const perform: Record<string, Action> = {
  publish: (at, listing) => publishing(at, listing),
  share: async (at, listing) => {
    if (!listing.state.startsWith("shared")) await join(at.sql, team.id, listing.creator);
    return publishing(at, listing, { organization: team.slug });
  },
  "new version": (at, listing) => publishing(at, listing, { payload: { content: "Another" } }),
  unpublish: (at, listing) => own(at, listing, "hub_unpublish_asset"),
  republish: (at, listing) => own(at, listing, "hub_republish_asset"),
  edit: (at, { creator, id }) =>
    attempt(
      signedIn(at, creator),
      (tx) => tx`update hub_assets set title = 'Another title' where id = ${id} returning id`,
    ),
  "creator delete": (at, listing) => own(at, listing, "hub_delete_asset"),
  report: (at, { id }) => reportAsset(signedIn(at, reporters[0] ?? ""), id),
  "report at the threshold": async (at, { id }) => {
    // The listing has one report already, so these reports reach the threshold.
    let last: Outcome = { refused: "" };
    for (const user of reporters) last = await reportAsset(signedIn(at, user), id);
    return last;
  },
  hide: (at, { id }) => moderate(at, "hub_hide_asset", id, "For a test."),
  restore: (at, { id }) => moderate(at, "hub_restore_asset", id, "For a test."),
  "resolve dismissed": (at, { report }) => moderate(at, "hub_resolve_report", report ?? "", "dismissed"),
  "resolve upheld": (at, { report }) => moderate(at, "hub_resolve_report", report ?? "", "upheld"),
  ban: (at, { creator }) => moderate(at, "hub_ban_creator", creator, "For a test."),
  unban: (at, { creator }) => moderate(at, "hub_unban_creator", creator),
  "permanent delete": (at, { id }) => moderate(at, "hub_remove_asset", id, "For a test."),
  "row delete": (at, { id }) =>
    attempt(operator(at), (tx) => tx`delete from hub_assets where id = ${id} returning id`),
  "clear is_hidden": edit("is_hidden = false"),
  "set is_hidden": edit("is_hidden = true"),
  "clear is_public": edit("is_public = false"),
  "set deleted_at": edit("deleted_at = now()"),
  "set hidden_by_ban": edit("hidden_by_ban = true"),
};

/** Performs an action, reads its effects, and rolls it back. */
async function tried(action: string, listing: Listing) {
  const done = new Error("rolled back");
  let effects: { outcome: Outcome | undefined; state: string; faults: unknown[] } | undefined;
  const running = db.sql.begin(async (tx) => {
    const outcome = await perform[action]?.(within(tx), listing);
    const state = await stateOf(tx as never, listing.id);
    const unread = await tx`
      select a.id from hub_assets a
      where a.is_public and not exists (select from hub_asset_versions v where v.asset_id = a.id and v.version = a.current_version)`;
    effects = { outcome, state, faults: [...(await wrongCounters(tx as never)), ...unread] };
    throw done;
  });
  await running.catch((error: unknown) => {
    if (error !== done) throw error;
  });
  return effects;
}

/** Returns a place whose transactions are savepoints of this transaction. Each ends as a commit does: with deferred checks, and its own role. */
function within(tx: postgres.TransactionSql): Place {
  const begin = (work: (tx: postgres.TransactionSql) => Promise<unknown>) =>
    tx.savepoint(async (inner) => {
      const answer = await work(inner);
      await inner.unsafe(`
        set constraints all immediate; set constraints all deferred; set local role none;
        select set_config('request.jwt.claim.sub', '', true), set_config('request.jwt.claims', '', true)`);
      return answer;
    });
  return { sql: Object.assign((...args: Parameters<typeof tx>) => tx(...args), { begin }) as never };
}

test("the tables name every action and the same states", () => {
  expect(new Set(actions.map(({ action }) => action))).toEqual(new Set(Object.keys(perform)));
  const states = [...tables.values()].map((rows) => rows.map(({ state }) => state));
  for (const names of states) expect(names).toEqual(states[0]);
  expect(states[0]?.length).toBe(13);
});

describe.each([...tables.keys()].filter((heading) => tables.get(heading)?.length))("%s", (heading) => {
  test.each(actions.filter((action) => action.heading === heading && action.result !== "–"))(
    "$state, $action: $result",
    async ({ state, action, result }) => {
      const listing = await listingIn(state);
      const { outcome, state: after, faults } = (await tried(action, listing)) ?? {};
      const refusal = /^`(\w+)`$/.exec(result)?.[1];
      if (refusal !== undefined) expect(outcome).toEqual({ refused: refusal });
      else if (result === "no rows") expect(outcome).toMatchObject({ rows: { length: 0 } });
      else expect(outcome).not.toHaveProperty("refused");
      expect(after).toBe(refusal || result === "no rows" ? state : result);
      expect(faults).toEqual([]);
    },
  );
});
