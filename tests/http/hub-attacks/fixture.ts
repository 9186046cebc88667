import { randomUUID } from "node:crypto";
import type { SupabaseClient } from "@supabase/supabase-js";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { importAsset, makeAsset, makeUser, sha256, star, wrongCounters } from "../../support/hub.ts";
import { overHttp, type Service } from "../../support/service.ts";
import { tokenOf } from "../publish/fixture.ts";

/*
 * The attacks that are possible with the publishable key and an account. Everything goes through supabase-js and the gateway; after each
 * attack no row of others may have changed.
 */

export let db: Clone;
export let http: Omit<Service, "console">;
export let guest: SupabaseClient;
export let mallory: SupabaseClient;
export let owner: SupabaseClient;
export let admin: SupabaseClient;
export const ids = {} as Record<"mallory" | "owner" | "admin" | "banned", string>;
export const assets = {} as Record<
  "visible" | "hidden" | "unpublished" | "copy" | "deleted" | "banned" | "mine",
  string
>;
export let bannedToken = "";
/** A word in the title of everything that must stay invisible. */
export const words = "Xyzzyhidden";
export const invisible = () => [
  assets.hidden,
  assets.unpublished,
  assets.copy,
  assets.deleted,
  assets.banned,
];

/** Opens a database, the functions with it, and all actors with their assets, for the tests of one file. */
export function useHubFixture(): void {
  beforeAll(async () => {
    db = await cloneDatabase();
    http = await overHttp(db);
    await join();
    await publish();
    await keepChange();
  });
  afterEach(async () => {
    expect(await ofOthers()).toBe(before);
    expect(await wrongCounters(db.sql)).toEqual([]);
  });
  afterAll(async () => {
    await http?.stop();
    await db?.drop();
  });
}

async function join(): Promise<void> {
  guest = http.client();
  const user = (who: { userId: string; token: string }) => ({ ...who, client: http.client(who.token) });
  // Only the attacker needs an account with a password, because hashing a password takes long.
  const plain = async () => {
    const userId = await makeUser(db.sql);
    return user({ userId, token: tokenOf(userId) });
  };
  const [m, o, a, b] = await Promise.all([http.signUp().then(user), plain(), plain(), plain()]);
  Object.assign(ids, { mallory: m.userId, owner: o.userId, admin: a.userId, banned: b.userId });
  [mallory, owner, admin, bannedToken] = [m.client, o.client, a.client, b.token];
  await db.sql`insert into hub_admins (user_id) values (${ids.admin})`;
}

async function publish(): Promise<void> {
  const make = async (creator: string, title: string) =>
    (
      await makeAsset(db.sql, {
        creator,
        title,
        slug: title.toLowerCase(),
        description: title,
        tags: [title],
        items: [item(title)],
      })
    ).id;
  assets.visible = await make(ids.owner, "Visible");
  assets.mine = await make(ids.mallory, "Mine");
  for (const name of ["hidden", "unpublished", "deleted"] as const)
    assets[name] = await make(ids.owner, `${words}${name}`);
  assets.banned = await make(ids.banned, `${words}banned`);
  assets.copy = (await importAsset(db.sql, ids.owner, assets.visible)).id;
  await db.sql`update hub_assets set title = ${words} where id = ${assets.copy}`;
  await db.sql`insert into hub_featured (asset_id) select unnest(${Object.values(assets)}::uuid[])`;
  await star(signedIn(db, ids.owner), assets.visible);
  await owner.rpc("hub_unpublish_asset", { asset_id: assets.unpublished });
  await owner.rpc("hub_delete_asset", { asset_id: assets.deleted });
  await admin.rpc("hub_hide_asset", { asset_id: assets.hidden, note: "For a test." });
  await admin.rpc("hub_ban_creator", { user_id: ids.banned, reason: "For a test." });
}

function item(title: string) {
  const payload = { content: title };
  return {
    asset_type: "template",
    ref_id: randomUUID(),
    title,
    payload,
    sha256: sha256(payload),
    license: "cc0",
  };
}

let before = "";

/** Takes a new snapshot, so that deliberate changes of the test are not reported. */
export async function keepChange(): Promise<void> {
  before = await ofOthers();
}

/** Returns the rows of others, which are compared after each attack. */
const ofOthers = async () =>
  JSON.stringify(
    await db.sql`
      select
        (select jsonb_agg(to_jsonb(a) order by a.id) from hub_assets a where creator_id is distinct from ${ids.mallory}) as assets,
        (select jsonb_agg(to_jsonb(p) order by p.user_id) from hub_profiles p where user_id <> ${ids.mallory}) as profiles,
        (select jsonb_agg(to_jsonb(s) order by s.asset_id, s.user_id) from hub_stars s where user_id <> ${ids.mallory}) as stars,
        (select jsonb_agg(to_jsonb(r) order by r.id) from hub_reports r where reporter_id <> ${ids.mallory}) as reports,
        (select jsonb_agg(to_jsonb(v) order by v.asset_id) from hub_asset_versions v) as versions,
        (select jsonb_agg(to_jsonb(t) order by t.id) from prompt_templates t where user_id <> ${ids.mallory}) as templates,
        (select jsonb_agg(to_jsonb(a)) from hub_admins a) as admins,
        (select jsonb_agg(to_jsonb(b)) from private.hub_bans b) as bans,
        (select count(*) from hub_events) as events`,
  );

export interface CallResult {
  status: number;
  data: unknown;
  error: { code?: string; message: string; details?: string; hint?: string } | null;
}
export const denied = (answer: CallResult, statuses = [401, 403]) => {
  expect(answer.error?.code).toBe("42501");
  expect(statuses).toContain(answer.status);
};
export const refused = (answer: CallResult, status: number, code: string) => {
  expect(answer.error?.message).toBe(code);
  expect(answer.status).toBe(status);
};
export const nothing = (answer: CallResult) => {
  expect(answer.error).toBeNull();
  expect(answer.data ?? []).toEqual([]);
};
