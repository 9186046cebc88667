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
beforeAll(async () => {
  db = await cloneDatabase();
  admin = await makeAdmin(db.sql);
  team = await makeTeam(db);
});
afterAll(() => db.drop());

interface Listing {
  id: string;
  creator: string;
  refId: string;
  /** The report that was made while the listing was visible; undefined for a listing that never was visible. */
  report: string | undefined;
}

const moderate = (name: string, ...args: string[]) => call(signedIn(db, admin), name, ...args);
const own = ({ creator, id }: Listing, name: string) => call(signedIn(db, creator), name, id);

/** Makes a listing and brings it into the given state by actions of users. */
async function bringTo(state: string): Promise<Listing> {
  const creator = await makeUser(db.sql);
  const refId = await addSource(db.sql, creator);
  if (state === "private") {
    const [row] = await db.sql`
      insert into hub_assets (asset_type, ref_id, creator_id, slug, title)
      values ('template', ${refId}, ${creator}, ${refId}, 'A copy') returning id`;
    return { id: row?.id, creator, refId, report: undefined };
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
  const listing = { id, creator, refId, report: "rows" in reported ? reported.rows[0]?.id : undefined };
  const [base, ...marks] = state.split(" ");
  if (marks.includes("hidden") || base === "removed") await moderate("hub_hide_asset", id, "For a test.");
  if (base === "unpublished") await own(listing, "hub_unpublish_asset");
  if (base === "deleted") await own(listing, "hub_delete_asset");
  if (base === "removed") await moderate("hub_remove_asset", id, "For a test.");
  if (marks.includes("banned")) await moderate("hub_ban_creator", creator, "For a test.");
  expect(await stateOf(db.sql, id)).toBe(state);
  return listing;
}

const edit = (columns: string) => (listing: Listing) =>
  attempt(operator(db), (tx) =>
    tx.unsafe(`update hub_assets set ${columns} where id = $1 returning id`, [listing.id]),
  );

const perform: Record<string, (listing: Listing) => Promise<Outcome>> = {
  publish: ({ creator, refId }) => attempt(operator(db), () => publish(db.sql, creator, { refId })),
  share: ({ creator, refId }) =>
    attempt(operator(db), async () => {
      await join(db.sql, team.id, creator).catch(() => undefined);
      return publish(db.sql, creator, { refId, organization: team.slug });
    }),
  "new version": ({ creator, refId }) =>
    attempt(operator(db), () => publish(db.sql, creator, { refId, payload: { content: "Another" } })),
  unpublish: (listing) => own(listing, "hub_unpublish_asset"),
  republish: (listing) => own(listing, "hub_republish_asset"),
  edit: ({ creator, id }) =>
    attempt(
      signedIn(db, creator),
      (tx) => tx`update hub_assets set title = 'Another title' where id = ${id} returning id`,
    ),
  "creator delete": (listing) => own(listing, "hub_delete_asset"),
  report: async ({ id }) => reportAsset(signedIn(db, await makeUser(db.sql)), id),
  "report at the threshold": async ({ id }) => {
    // The listing has one report already, so these reports reach the threshold.
    const users = await makeUsers(db.sql, REPORT_THRESHOLD - 1);
    let last: Outcome = { refused: "" };
    for (const user of users) last = await reportAsset(signedIn(db, user), id);
    return last;
  },
  hide: ({ id }) => moderate("hub_hide_asset", id, "For a test."),
  restore: ({ id }) => moderate("hub_restore_asset", id, "For a test."),
  "resolve dismissed": ({ report }) => moderate("hub_resolve_report", report ?? "", "dismissed"),
  "resolve upheld": ({ report }) => moderate("hub_resolve_report", report ?? "", "upheld"),
  ban: ({ creator }) => moderate("hub_ban_creator", creator, "For a test."),
  unban: ({ creator }) => moderate("hub_unban_creator", creator),
  "permanent delete": ({ id }) => moderate("hub_remove_asset", id, "For a test."),
  "row delete": ({ id }) =>
    attempt(operator(db), (tx) => tx`delete from hub_assets where id = ${id} returning id`),
  "clear is_hidden": edit("is_hidden = false"),
  "set is_hidden": edit("is_hidden = true"),
  "clear is_public": edit("is_public = false"),
  "set deleted_at": edit("deleted_at = now()"),
  "set hidden_by_ban": edit("hidden_by_ban = true"),
};

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
      const listing = await bringTo(state);
      const outcome = await perform[action]?.(listing);
      const refusal = /^`(\w+)`$/.exec(result)?.[1];
      if (refusal !== undefined) expect(outcome).toEqual({ refused: refusal });
      else if (result === "no rows") expect(outcome).toMatchObject({ rows: { length: 0 } });
      else expect(outcome).not.toHaveProperty("refused");
      expect(await stateOf(db.sql, listing.id)).toBe(refusal || result === "no rows" ? state : result);
    },
  );
});

test("after all of that every counter is its rows", async () => {
  expect(await wrongCounters(db.sql)).toEqual([]);
  const [row] = await db.sql`
    select count(*)::int as wrong from hub_assets a
    where a.is_public and not exists (select from hub_asset_versions v where v.asset_id = a.id and v.version = a.current_version)`;
  expect(row?.wrong).toBe(0);
});
