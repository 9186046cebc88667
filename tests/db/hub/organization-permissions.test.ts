import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Actor, attempt, type Outcome, operator, signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { call, importAsset, makeUser, publish, reportAsset, sha256, star } from "../../support/hub.ts";
import { ask, join, makeTeam, type Team } from "../../support/organizations.ts";
import { hubTables } from "../../support/permissions.ts";
import { tablesOf } from "../../support/tables.ts";

const roles = ["member", "admin", "owner", "former", "other"] as const;
type Role = (typeof roles)[number];

const written = await tablesOf("reference/permissions.md");
const reading = (written.get("Tables in an organization") ?? []).filter(({ table }) => table !== undefined);
const calls = written.get("Calls in an organization") ?? [];

let db: Clone;
let team: Team;
let users: Record<Role, string>;
let stranger: string;
const ids = { shared: "", hidden: "" };
let tables: { name: string; columns: string[] }[];

beforeAll(async () => {
  db = await cloneDatabase();
  team = await makeTeam(db);
  const other = await makeTeam(db);
  const former = await makeUser(db.sql);
  stranger = await makeUser(db.sql);
  users = { member: team.member, admin: team.admin, owner: team.owner, former, other: other.owner };
  await join(db.sql, team.id, former);
  ids.shared = await shareSomething();
  ids.hidden = await shareSomething();
  await importAsset(db.sql, former, ids.shared);
  await ask(signedIn(db, former), "leave_organization", { organization_id: team.id });
  await ask(signedIn(db, team.admin), "organization_review", { asset_id: ids.hidden, keep: false });
  tables = await hubTables(db.sql);
});
afterAll(() => db.drop());

/** Shares a kit of a member who is none of the tested users; returns its id. */
async function shareSomething(): Promise<string> {
  const creator = await makeUser(db.sql);
  await join(db.sql, team.id, creator);
  const item = { asset_type: "template", ref_id: crypto.randomUUID(), title: "Item", payload: {} };
  const items = [{ ...item, sha256: sha256({}), license: "cc0" }];
  const what = { organization: team.slug, type: "orchestration" as const, items };
  return (await publish(db.sql, creator, what)).asset_id;
}

/** Returns every row of a table that a user sees, as text. */
async function seenBy(userId: string, table: string): Promise<string[]> {
  const outcome = await attempt(signedIn(db, userId), (tx) =>
    tx.unsafe(`select t::text as row from ${table} t`),
  );
  return "refused" in outcome ? [outcome.refused] : outcome.rows.map(({ row }) => row as string);
}

describe.each(roles)("tables, as %s", (role) => {
  test("shows what is written, and everything else as to a stranger", async () => {
    for (const { name } of tables.filter((table) => !table.name.startsWith("private."))) {
      const words = (reading.find(({ table }) => table === name)?.[role] ?? "–").split(", ");
      const ofUser = (row: string) => row.includes(users[role]);
      const seen = (await seenBy(users[role], name)).filter((row) => !ofUser(row));
      const toStrangers = await seenBy(stranger, name);
      const more = seen.filter((row) => !toStrangers.includes(row));
      const less = toStrangers.filter(
        (row) => !seen.includes(row) && !ofUser(row) && !row.includes(stranger),
      );
      expect(less, name).toEqual([]);
      const key = { hub_assets: "id", hub_asset_versions: "asset_id", hub_bundle_items: "asset_id" }[name];
      const expected = await Promise.all(
        words.map(async (word) => {
          if (word === "–") return [];
          const where =
            word === "team"
              ? `${name === "organizations" ? "id" : "organization_id"} = '${team.id}'`
              : `${key} = '${ids[word as "shared" | "hidden"]}'`;
          const rows = await db.sql.unsafe(`select t::text as row from ${name} t where ${where}`);
          return rows.map(({ row }) => row as string).filter((row) => !ofUser(row));
        }),
      );
      // Ignore rows that this user has anyway, such as those of another organization or of a copy.
      const own = (row: string) => role === "other" && !row.includes(team.id);
      expect(more.filter((row) => !own(row)).sort(), name).toEqual(expected.flat().sort());
    }
  });
});

const perform: Record<string, (who: Actor, userId: string) => Promise<Outcome>> = {
  hub_shelf: (who) => call(who, "hub_shelf", team.slug),
  hub_asset: (who) => call(who, "hub_asset", ids.shared),
  hub_versions: (who) => call(who, "hub_versions", ids.shared),
  share: (_, userId) => attempt(operator(db), () => publish(db.sql, userId, { organization: team.slug })),
  import: (_, userId) => attempt(operator(db), () => importAsset(db.sql, userId, ids.shared) as never),
  star: (who) => star(who, ids.shared),
  report: (who) => reportAsset(who, ids.shared),
  hub_unpublish_asset: (who) => call(who, "hub_unpublish_asset", ids.shared),
  hub_republish_asset: (who) => call(who, "hub_republish_asset", ids.shared),
  hub_delete_asset: (who) => call(who, "hub_delete_asset", ids.shared),
  hub_edit_version: (who) => call(who, "hub_edit_version", ids.shared, "1"),
  hub_yank_version: (who) => call(who, "hub_yank_version", ids.shared, "1"),
  hub_appeal: (who) => call(who, "hub_appeal", ids.shared, "Why?"),
  organization_review_queue: (who) => call(who, "organization_review_queue", team.id),
  organization_review: (who) => call(who, "organization_review", ids.shared, "true"),
  invite_member: (who) => call(who, "invite_member", team.id),
  organization_invitations: (who) => call(who, "organization_invitations", team.id),
  revoke_invitation: async (who) => {
    const { id } = await ask<{ id: string }>(signedIn(db, team.owner), "invite_member", {
      organization_id: team.id,
    });
    return call(who, "revoke_invitation", id);
  },
  set_member_role: async (who) => call(who, "set_member_role", team.id, await anyMember(), "member"),
  remove_member: async (who) => call(who, "remove_member", team.id, await anyMember()),
  // This call is the last one, because a member who has left may do nothing more here.
  leave_organization: (who) => call(who, "leave_organization", team.id),
};

async function anyMember(): Promise<string> {
  const id = await makeUser(db.sql);
  await join(db.sql, team.id, id);
  return id;
}

test("every call is written down", () => {
  expect(calls.map((row) => row.call)).toEqual(Object.keys(perform));
  expect(reading.length).toBeGreaterThan(4);
});

describe.each(calls.map((row) => ({ name: row.call ?? "", row })))("$name", ({ name, row }) => {
  test.each(roles)("as %s", async (role) => {
    const outcome = await perform[name]?.(signedIn(db, users[role]), users[role]);
    const expected =
      row[role] === "yes" ? expect.objectContaining({ rows: expect.anything() }) : { refused: row[role] };
    expect(outcome).toEqual(row[role] === "yes" && name === "import" ? expect.anything() : expected);
  });
});
