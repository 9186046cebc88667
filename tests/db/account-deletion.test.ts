import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signedIn } from "../support/actors.ts";
import { type Clone, cloneDatabase } from "../support/database.ts";
import {
  addSource,
  call,
  importAsset,
  makeAdmin,
  makeAsset,
  makeUser,
  publish,
  reportAsset,
  star,
  wrongCounters,
} from "../support/hub.ts";
import { addKey, lease } from "../support/keys.ts";

let db: Clone;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db.drop());

const remove = (userId: string) => db.auth`delete from users where id = ${userId} returning id`;

/** Makes each kind of user, with the rows that such a user has. */
const kinds: Record<string, () => Promise<string>> = {
  "an owner of keys, agents and a log": async () => {
    const user = await makeUser(db.sql);
    const keys = [await addKey(db.sql, user), await addKey(db.sql, user, { provider: "openai" })];
    const [issued] = await db.sql<{ token: string }[]>`select issue_agent_token(${user}, 'agent') as token`;
    expect(issued?.token).toMatch(/^kh_agent_/);
    await lease(db.as("service_role", 1), user);
    await db.sql`
      update api_key_health set blocked_until = now() + interval '1 hour' where user_api_key_id = ${keys[0] ?? ""}`;
    return user;
  },
  "a creator of listings of every kind, starred, imported and reported": async () => {
    const { id, creator } = await makeAsset(db.sql, { slug: `a-${Date.now()}` });
    const source = `export default () => <p>${creator}</p>`;
    await makeAsset(db.sql, { creator, type: "component", slug: `b-${Date.now()}`, payload: { source } });
    const fan = await makeUser(db.sql);
    await star(signedIn(db, fan), id);
    await reportAsset(signedIn(db, fan), id);
    const copy = await importAsset(db.sql, fan, id, "remix");
    await publish(db.sql, fan, { refId: copy.refId, slug: `c-${Date.now()}` });
    return creator;
  },
  "a member with stars, imports, reports and a workspace": async () => {
    const user = await makeUser(db.sql);
    for (const type of ["template", "component", "orchestration", "ai_preset"] as const)
      await addSource(db.sql, user, type);
    const { id } = await makeAsset(db.sql, { slug: `d-${Date.now()}` });
    await star(signedIn(db, user), id);
    await reportAsset(signedIn(db, user), id);
    await importAsset(db.sql, user, id);
    return user;
  },
  "a banned creator": async () => {
    const { creator } = await makeAsset(db.sql, { slug: `e-${Date.now()}` });
    await call(signedIn(db, await makeAdmin(db.sql)), "hub_ban_creator", creator, "Spam.");
    return creator;
  },
  "an admin who has banned, hidden and resolved": async () => {
    const admin = await makeAdmin(db.sql);
    const { id, creator } = await makeAsset(db.sql, { slug: `f-${Date.now()}` });
    await reportAsset(signedIn(db, await makeUser(db.sql)), id);
    await call(signedIn(db, admin), "hub_hide_asset", id, "Look at this.");
    await call(signedIn(db, admin), "hub_restore_asset", id, "Fine.");
    await call(signedIn(db, admin), "hub_ban_creator", creator, null);
    return admin;
  },
  "a new user": () => makeUser(db.sql),
};

describe("auth deletes a user with its own rights", () => {
  test.each(Object.entries(kinds))("%s", async (_, make) => {
    const user = await make();
    expect(await remove(user)).toHaveLength(1);
    expect(await wrongCounters(db.sql)).toEqual([]);
    expect(await db.sql`select from user_api_keys where user_id = ${user}`).toHaveLength(0);
    expect(await db.sql`select from private.workspace_usage where user_id = ${user}`).toHaveLength(0);
  });

  test("all of them in one statement", async () => {
    for (const make of Object.values(kinds)) await make();
    const left = await db.auth`select from users`;
    expect(await db.auth`delete from users returning id`).toHaveLength(left.length);
    expect(await wrongCounters(db.sql)).toEqual([]);
  });

  test("it renames, bans and soft-deletes one, too", async () => {
    const user = await makeUser(db.sql);
    await db.auth`update users set email = 'new@example.test', raw_user_meta_data = '{"name": "N"}' where id = ${user}`;
    await db.auth`update users set banned_until = now() + interval '100 years' where id = ${user}`;
    await db.auth`update users set deleted_at = now(), email = ${user} where id = ${user}`;
    expect(await db.sql`select from hub_profiles where user_id = ${user}`).toHaveLength(1);
  });

  test("auth has no rights on our tables, so that these tests can fail", async () => {
    await expect(db.auth`select from public.user_api_keys`).rejects.toMatchObject({ code: "42501" });
  });
});

/**
 * Returns the unsafe triggers that fire when an account is deleted. Postgres runs the AFTER triggers of a cascade at the end of the outer
 * statement, with the role of that statement. So the function of a trigger that uses a table must be SECURITY DEFINER, and in schema
 * private, which no client reaches.
 */
const unsafeTriggers = () => db.sql<{ trigger: string }[]>`
  with recursive closure (relation, deleted) as (
    select 'auth.users'::regclass::oid, true
    union
    select c.conrelid, c.confdeltype = 'c'
    from pg_constraint c join closure on c.confrelid = closure.relation and closure.deleted
    where c.contype = 'f' and c.confdeltype in ('c', 'n', 'd')
  )
  select distinct t.tgname::text as trigger
  from pg_trigger t
  join closure on closure.relation = t.tgrelid
  join pg_proc p on p.oid = t.tgfoid
  where not t.tgisinternal
    and t.tgtype & 2 = 0
    and (case when closure.deleted then t.tgtype & 8 else t.tgtype & 16 end) > 0
    and not (p.prosecdef and p.pronamespace = 'private'::regnamespace)
    -- A body without a table of its own and without another function needs no rights.
    and replace(p.prosrc, 'from ' || coalesce(t.tgnewtable, t.tgoldtable, ''), '') ~* '\\m(from|into|update|delete|join|private|public)\\M'`;

test("an AFTER trigger that fires when an account is deleted runs with its owner's rights", async () => {
  expect(await unsafeTriggers()).toEqual([]);
  await db.sql`alter function private.restore_api_key_health() security invoker`;
  expect(await unsafeTriggers()).toEqual([{ trigger: "api_key_health_restore_on_delete" }]);
  await db.sql`alter function private.restore_api_key_health() security definer`;
});
