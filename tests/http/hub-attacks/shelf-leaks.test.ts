import { randomUUID } from "node:crypto";
import type { SupabaseClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtSite } from "../../../packages/local/src/index.ts";
import { openSite } from "../../../packages/local/src/site/site.ts";
import { signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { importAsset, makeUser, publish, sha256 } from "../../support/hub.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { ask, join, makeTeam, type Team } from "../../support/organizations.ts";
import { hubTables } from "../../support/permissions.ts";
import { forgeToken, inProcess, overHttp, publishableKey, type Service } from "../../support/service.ts";
import { tokenOf } from "../publish/fixture.ts";
import { listPages, pages, type Target } from "./shelf-pages.ts";

/*
 * Requests a listing of a shelf in each of its states, in every way and as everybody who may not see it. Each way is also tried with a
 * listing that does not exist: the two answers must be the same, so that nobody learns that the listing exists. A request that names no
 * listing is tried once, because its answer may tell of the listings of all states.
 */

/** A word in every text that must stay on the shelf; texts of listings that do not exist have Absent. */
const SECRET = "Zyxsecret";
const ABSENT = "Zyxabsent";

interface Reader {
  client: SupabaseClient;
  token: string | null;
  id: string;
}

const states = ["shared", "hidden", "taken off", "deleted"] as const;
type State = (typeof states)[number];
/** The owner of another organization has more rights than a mere stranger or an anonymous session, so short runs leave these two out. */
const readers = (
  ["guest", "anonymous session", "stranger", "former member", "other organization"] as const
).filter((name) => LONG_TESTS || (name !== "stranger" && name !== "anonymous session"));
/** Two readers for short runs: one who never saw the listing, and one who did. */
const two = LONG_TESTS ? readers : (["guest", "former member"] as const);
/** Returns the readers who request a listing in this state: two, if even members cannot see it. */
const triersOf = (state: State) => (state === "shared" ? readers : two);

let db: Clone;
let http: Omit<Service, "console">;
let functions: Service;
let page: (path: string) => Promise<string>;
let team: Team;
let creator: { id: string; username: string };
const who = {} as Record<(typeof readers)[number] | "member", Reader>;
/** The number of answers that were compared with the answer for a listing that does not exist. */
let compared = 0;
const targets = {} as Record<State, Target>;
/** A listing whose second version is public; the first one is for members only. */
let opened: Target;

beforeAll(async () => {
  db = await cloneDatabase();
  [http, functions] = await Promise.all([overHttp(db), inProcess(db)]);
  const site = await openSite({
    dist: await builtSite(),
    url: http.url,
    sealKey: "",
    publishableKey,
    api: { fetch: (request: Request) => fetch(request) },
    onLog: () => {},
  });
  page = async (path) => {
    const response = await site.fetch(new Request(`${http.url}${path}`, { redirect: "manual" }));
    return `${response.status} ${[...response.headers].join(" ")} ${await response.text()}`;
  };
  team = await makeTeam(db);
  const former = await makeUser(db.sql);
  const sharer = await makeUser(db.sql);
  for (const id of [former, sharer]) await join(db.sql, team.id, id);
  const [{ username } = {}] = await db.sql`select username from hub_profiles where user_id = ${sharer}`;
  creator = { id: sharer, username };

  for (const state of states) targets[state] = await share(state);
  opened = await share("opened");
  for (const { id } of [targets.shared, opened]) await importAsset(db.sql, former, id);
  // The former member may read the titles of their copies, so the copies get another title, without the word that must not leak.
  await db.sql`update hub_assets set title = 'A copy' where creator_id = ${former}`;
  const [{ ref_id: refId } = {}] = await db.sql`select ref_id from hub_assets where id = ${opened.id}`;
  await publish(db.sql, sharer, {
    refId,
    type: "orchestration",
    title: "Open",
    description: "Open",
    tags: [],
    payload: { nodes: [], edges: [], stage_configs: [] },
  });
  await ask(signedIn(db, team.admin), "organization_review", {
    asset_id: targets.hidden.id,
    keep: false,
    note: SECRET,
  });
  await ask(signedIn(db, sharer), "hub_unpublish_asset", { asset_id: targets["taken off"].id });
  await ask(signedIn(db, sharer), "hub_delete_asset", { asset_id: targets.deleted.id });
  await ask(signedIn(db, former), "leave_organization", { organization_id: team.id });
  await db.sql`insert into hub_featured (asset_id) select unnest(${Object.values(targets).map(({ id }) => id)}::uuid[])`;
  await db.sql`select hub_refresh_discovery()`;

  const reader = (id: string, token: string | null): Reader => ({
    client: http.client(token ?? undefined),
    token,
    id,
  });
  const anonymous = await makeUser(db.sql);
  const claims = {
    sub: anonymous,
    role: "authenticated",
    is_anonymous: true,
    exp: Math.ceil(Date.now() / 1000) + 3600,
  };
  const signed = async (id: string) => reader(id, tokenOf(id));
  Object.assign(who, {
    guest: reader(randomUUID(), null),
    "anonymous session": reader(anonymous, forgeToken(claims)),
    stranger: await signed(await makeUser(db.sql)),
    "former member": await signed(former),
    "other organization": await signed((await makeTeam(db)).owner),
    member: await signed(team.member),
  });
});
afterAll(async () => {
  await functions?.stop();
  await http?.stop();
  await db?.drop();
});

async function share(name: string): Promise<Target> {
  const payload = { name: SECRET, description: null, content: `${SECRET} ${name} content`, variables: [] };
  const item = { asset_type: "template", ref_id: randomUUID(), title: `${SECRET} item`, payload };
  const { asset_id, slug } = await publish(db.sql, creator.id, {
    ...{
      organization: team.slug,
      type: "orchestration",
      title: `${SECRET} ${name}`,
      slug: `zyxsecret-${name.replace(" ", "-")}`,
    },
    ...{
      description: `${SECRET} says what it does.`,
      tags: [SECRET.toLowerCase()],
      payload: {
        nodes: [{ id: "a", type: "note", position: { x: 0, y: 0 }, data: { note: SECRET } }],
        edges: [],
        stage_configs: [],
      },
    },
    ...{
      items: [{ ...item, sha256: sha256(payload), license: "cc0" }],
      label: `${SECRET} 1`,
      changelog: `${SECRET} begins`,
    },
  });
  return { id: asset_id, slug, word: SECRET, url: http.url, creator: creator.username };
}

type Door = (reader: Reader, target: Target) => Promise<unknown>;
const rpc =
  (name: string, args: (target: Target) => Record<string, unknown>): Door =>
  async ({ client }, target) => {
    const { data, error, status } = await client.rpc(name, args(target));
    return { data, error, status };
  };
const call = (name: string, body: (target: Target) => unknown, path = (_: Target) => ""): Door => {
  return async ({ token }, target) => {
    const response = await functions.fetch(`/functions/v1/${name}${path(target)}`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        ...(token && { Authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body(target)),
    });
    return { status: response.status, body: await response.text() };
  };
};
const rows =
  (open: (client: SupabaseClient, target: Target) => PromiseLike<unknown>): Door =>
  ({ client }, target) =>
    Promise.resolve(open(client, target));
const mcp = (name: string, args: (target: Target) => Record<string, unknown>) =>
  call("hub-mcp", (target) => ({
    ...{ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args(target) } },
  }));

const byId = ({ id }: Target) => ({ asset_id: id });
/** Requests that name a listing. */
const doors: Record<string, Door> = {
  "hub_asset by id": rpc("hub_asset", ({ id }) => ({ id_or_slug: id })),
  "hub_asset by slug": rpc("hub_asset", ({ slug }) => ({ id_or_slug: slug })),
  "hub_asset, a version": rpc("hub_asset", ({ id }) => ({ id_or_slug: id, version: 1 })),
  "hub_versions by id": rpc("hub_versions", ({ id }) => ({ id_or_slug: id })),
  "hub_versions by slug": rpc("hub_versions", ({ slug }) => ({ id_or_slug: slug })),
  hub_remixes: rpc("hub_remixes", byId),
  hub_unpublish_asset: rpc("hub_unpublish_asset", byId),
  hub_republish_asset: rpc("hub_republish_asset", byId),
  hub_delete_asset: rpc("hub_delete_asset", byId),
  hub_edit_version: rpc("hub_edit_version", (target) => ({ ...byId(target), version: 1, label: "x" })),
  hub_yank_version: rpc("hub_yank_version", (target) => ({ ...byId(target), version: 1 })),
  hub_unyank_version: rpc("hub_unyank_version", (target) => ({ ...byId(target), version: 1 })),
  hub_pin: rpc("hub_pin", (target) => ({ ...byId(target), version: 1 })),
  hub_dismiss_update: rpc("hub_dismiss_update", (target) => ({ ...byId(target), version: 1 })),
  hub_restore_copy: rpc("hub_restore_copy", byId),
  hub_appeal: rpc("hub_appeal", (target) => ({ ...byId(target), body: "Why?" })),
  hub_hide_asset: rpc("hub_hide_asset", (target) => ({ ...byId(target), note: "x" })),
  hub_feature_asset: rpc("hub_feature_asset", byId),
  organization_review: rpc("organization_review", (target) => ({ ...byId(target), keep: true })),
  "a star": rows((client, { id }) => client.from("hub_stars").insert({ asset_id: id })),
  "a report": rows((client, { id }) => client.from("hub_reports").insert({ asset_id: id, reason: "spam" })),
  "an edit": rows((client, { id }) => client.from("hub_assets").update({ title: "x" }).eq("id", id).select()),
  "versions embedded": rows((client, { id }) =>
    client.from("hub_asset_versions").select("version, hub_assets!inner(title)").eq("asset_id", id),
  ),
  "hub-import by id": call(
    "hub-import",
    () => ({}),
    ({ id }) => `/${id}`,
  ),
  "hub-import by slug": call(
    "hub-import",
    () => ({}),
    ({ slug }) => `/${slug}`,
  ),
  "hub-import, a dry run": call(
    "hub-import",
    () => ({ dry_run: true }),
    ({ slug }) => `/${slug}`,
  ),
  "hub-import, a version": call(
    "hub-import",
    () => ({ version: 1 }),
    ({ id }) => `/${id}`,
  ),
  "MCP: get by id": mcp("get_asset", ({ id }) => ({ slug: id })),
  "MCP: get by slug": mcp("get_asset", ({ slug }) => ({ slug })),
  "MCP: import": mcp("import_asset", ({ slug }) => ({ slug, confirm: true })),
};
/** Requests that name no listing: their answers may tell of the listings of all states. */
const lists: Record<string, Door> = {
  "hub_search by title": rpc("hub_search", ({ word }) => ({ q: word })),
  "hub_search by a beginning": rpc("hub_search", ({ word }) => ({ q: word.slice(0, 6) })),
  "hub_search by a slip": rpc("hub_search", ({ word }) => ({ q: `${word.slice(0, -1)}x`, facets: true })),
  "hub_search by tag": rpc("hub_search", ({ word }) => ({ tags: [word.toLowerCase()], facets: true })),
  ...Object.fromEntries(
    ["newest", "most_installed", "most_starred", "recently_updated"].map((sort) => [
      `hub_search, ${sort}`,
      rpc("hub_search", () => ({ sort, page_size: 100, facets: true })),
    ]),
  ),
  "hub_search by creator": rpc("hub_search", () => ({ creator: creator.username, facets: true })),
  hub_trending: rpc("hub_trending", () => ({ page_size: 100 })),
  hub_featured_assets: rpc("hub_featured_assets", () => ({})),
  hub_categories: rpc("hub_categories", () => ({})),
  hub_creator: rpc("hub_creator", () => ({ username: creator.username })),
  hub_creators: rpc("hub_creators", () => ({ page_size: 100 })),
  hub_following: rpc("hub_following", () => ({})),
  hub_updates: rpc("hub_updates", () => ({})),
  hub_my_decisions: rpc("hub_my_decisions", () => ({})),
  hub_open_appeals: rpc("hub_open_appeals", () => ({})),
  hub_review_queue: rpc("hub_review_queue", () => ({})),
  "the shelf": rpc("hub_shelf", ({ word }) => ({
    organization: word === SECRET ? team.slug : "absent-team",
  })),
  "the queue of the shelf": rpc("organization_review_queue", ({ word }) => ({
    organization_id: word === SECRET ? team.id : randomUUID(),
  })),
  "a count": rows((client, { word }) =>
    client.from("hub_assets").select("*", { count: "exact", head: true }).ilike("title", `%${word}%`),
  ),
  "embedded from the creator": rows((client, { word }) =>
    client
      .from("hub_profiles")
      .select("hub_assets!hub_assets_creator_profile_fkey!inner(title)")
      .ilike("hub_assets.title", `%${word}%`),
  ),
  "MCP: search": mcp("search_assets", ({ word }) => ({ query: word })),
};

/**
 * Makes answers for two listings comparable: replaces ids, names and words of the target, and values that differ between any two answers.
 */
function plain(answer: unknown, { id, slug, word }: Target): string {
  const text = typeof answer === "string" ? answer : JSON.stringify(answer);
  return [id, slug, word, word.toLowerCase(), team.slug, team.id, word.slice(0, -1)]
    .reduce((rest, part) => rest.replaceAll(part, "TARGET"), text)
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UUID")
    .replaceAll("absent-team", "TARGET");
}

const missing = new Map<string, Promise<string>>();

/** Returns the answer for a listing that does not exist. */
function answerToMissing(door: string, open: (target: Target) => Promise<unknown>): Promise<string> {
  const known = missing.get(door);
  if (known) return known;
  const other = absent();
  const answer = open(other).then((told) => plain(told, other));
  missing.set(door, answer);
  return answer;
}

const absent = (): Target => ({
  id: randomUUID(),
  slug: `zyxabsent-${randomUUID().slice(0, 8)}`,
  word: ABSENT,
  url: http.url,
  creator: creator.username,
});

const LEAK = /secret (shared|hidden|taken|deleted|opened|item|says|begins|1)/i;

/** Compares the answers about a listing with those about one that does not exist. */
async function expectNothingTold(
  name: (typeof readers)[number],
  of: typeof doors,
  target: Target,
): Promise<void> {
  for (const [door, open] of Object.entries(of)) {
    const answer = await open(who[name], target);
    expect(JSON.stringify(answer), door).not.toMatch(LEAK);
    const expected = await answerToMissing(`${name}: ${door}`, (other) => open(who[name], other));
    expect(plain(answer, target), door).toBe(expected);
    compared += 1;
  }
}

async function expectNoPageTells(of: typeof pages, target: Target): Promise<void> {
  for (const [door, path] of Object.entries(of)) {
    const answer = await page(path(target));
    expect(answer, door).not.toMatch(LEAK);
    const expected = await answerToMissing(`page: ${door}`, (other) => page(path(other)));
    expect(plain(answer, target), door).toBe(expected);
    compared += 1;
  }
}

describe.each(states)("%s", (state) => {
  test.each(triersOf(state))("no door tells a %s", (name) => expectNothingTold(name, doors, targets[state]));

  test("no page of it tells anybody", () => expectNoPageTells(pages, targets[state]));
});

describe("lists, whatever the state", () => {
  test.each(readers)("none tells a %s", (name) => expectNothingTold(name, lists, targets.shared));

  test("no page or feed tells anybody", () => expectNoPageTells(listPages, targets.shared));
});

test.each(readers)(
  "in all rows that a %s can read there is nothing of a shelf but the reader's own copies",
  async (name) => {
    const { client, id: own } = who[name];
    let read = 0;
    for (const { name: table } of (await hubTables(db.sql)).filter(
      (one) => !one.name.startsWith("private."),
    )) {
      const { data } = await client.from(table).select();
      for (const row of data ?? []) {
        read += 1;
        if (Object.values(row).includes(own)) continue;
        const text = JSON.stringify(row);
        expect(text, table).not.toMatch(new RegExp(SECRET, "i"));
        expect(text, table).not.toContain(team.id);
        for (const { id } of Object.values(targets)) expect(text, table).not.toContain(id);
      }
    }
    expect(read).toBeGreaterThan(0);
  },
);

test("of a listing that was opened, the version of the shelf stays there", async () => {
  const target = { ...opened, word: "Open" };
  for (const name of two)
    for (const [door, open] of Object.entries({ ...doors, ...lists }))
      expect(JSON.stringify(await open(who[name], target)), `${name}: ${door}`).not.toMatch(LEAK);
  for (const [door, path] of Object.entries({ ...pages, ...listPages }))
    expect(await page(path(target)), door).not.toMatch(/secret (opened|item|says|begins|1)/i);
});

test("a member sees it at the doors for members: the words that are looked for are there", async () => {
  const seen = async (door: string, target: Target) =>
    JSON.stringify(await { ...doors, ...lists }[door]?.(who.member, target));
  for (const door of ["hub_asset by slug", "hub_versions by id", "the shelf", "hub-import, a dry run"])
    expect(await seen(door, targets.shared), door).toMatch(/secret (shared|begins)/i);
  expect(await seen("hub_asset, a version", opened)).toMatch(/secret (item|1)/i);
  for (const door of ["hub_search by title", "MCP: get by slug"])
    expect(await seen(door, targets.shared), door).not.toMatch(/secret shared/i);
});

test("every door, list and page was tried", () => {
  const of = (part: object, times: number) => Object.keys(part).length * times;
  const requests = states.flatMap(triersOf).length;
  expect(compared).toBe(
    of(doors, requests) + of(lists, readers.length) + of(pages, states.length) + of(listPages, 1),
  );
  expect(compared).toBeGreaterThan(LONG_TESTS ? 700 : 400);
});
