import type postgres from "postgres";
import { startCluster } from "./cluster.ts";
import { low } from "./discovery/measure.ts";

const ASSETS = 200_000;
const ORGANIZATIONS = 125;
const ROUNDS = 60;

/**
 * Measures 200,000 listings, half of them public and half on the shelves of 125 organizations. The reader belongs to six of these. It
 * measures how much the policies of shelves slow down public lists: the calls run with and without these policies in turns. It also
 * compares a page of a shelf with a floor: a query for the same 24 rows and their cards without any check of permissions.
 */
export async function benchShelf(): Promise<void> {
  const cluster = await startCluster();
  try {
    const { sql } = cluster;
    const { reader, slug } = await fill(sql);
    const [one] = await cluster.callers(1);
    if (one === undefined) throw new Error("no connection");
    const calls: Record<string, string> = {
      "hub_search, newest": "select hub_search()",
      "hub_search by a tag": "select hub_search(tags => array['tag-7'])",
      "hub_search by words": "select hub_search(q => 'asset 4711')",
      hub_trending: "select hub_trending(24)",
      hub_asset: "select hub_asset('asset-4710')",
      "hub_listings, newest 24": "select * from hub_listings order by published_at desc, id desc limit 24",
    };
    const shown: Record<string, unknown>[] = [];
    for (const role of ["anon", "authenticated"]) {
      for (const [name, statement] of Object.entries(calls)) {
        const times: Record<"before" | "now", number[]> = { before: [], now: [] };
        for (let round = 0; round < ROUNDS; round += 1) {
          for (const side of round % 2 ? (["before", "now"] as const) : (["now", "before"] as const))
            times[side].push(await timed(one, role, reader, statement, side === "before"));
        }
        const [before, now] = [low(times.before), low(times.now)];
        shown.push({
          role,
          call: name,
          before: before.toFixed(2),
          now: now.toFixed(2),
          ratio: (now / before).toFixed(2),
        });
      }
    }
    console.table(shown);

    const shelf: Record<string, number[]> = {};
    const sorts = ["newest", "recently_updated", "most_installed", "most_starred"];
    const pages: Record<string, string> = Object.fromEntries([
      ...sorts.map((sort) => [sort, `select hub_shelf('${slug}', sort => '${sort}')`]),
      ["by words", `select hub_shelf('${slug}', q => 'asset')`],
      ["by a type", `select hub_shelf('${slug}', types => array['component'])`],
    ]);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [name, statement] of Object.entries({ floor: FLOOR(slug), ...pages })) {
        const role = name === "floor" ? "postgres" : "authenticated";
        shelf[name] = [...(shelf[name] ?? []), await timed(one, role, reader, statement, false)];
      }
    }
    const floor = low(shelf.floor ?? []);
    console.table(
      Object.entries(shelf).map(([page, times]) => ({
        page,
        ms: low(times).toFixed(2),
        "times the floor": (low(times) / floor).toFixed(1),
      })),
    );
  } finally {
    await cluster.stop();
  }
}

/** Returns the floor: the rows of a page with the creators of its cards, in the order of the index. */
const FLOOR = (slug: string) => `
  select json_agg(row_to_json(c)) from (
    select a.id, a.slug, a.asset_type, a.title, a.description, a.tags, a.thumbnail_url, a.license,
      json_build_object('username', p.username, 'avatar_url', p.avatar_url) as creator,
      a.install_count, a.star_count, a.shared_at, a.content_updated_at, a.remix_depth
    from public.hub_assets a
    left join public.hub_profiles p on p.user_id = a.creator_id
    where a.is_shared and a.organization_id = (select o.id from public.organizations o where o.slug = '${slug}')
    order by a.shared_at desc, a.id desc limit 24
  ) c`;

/** Replaces the policies of readers by those from before there were shelves. */
const BEFORE = `
  drop policy hub_assets_select on public.hub_assets;
  create policy hub_assets_select on public.hub_assets for select to authenticated
  using (is_visible or (deleted_at is null and (creator_id = (select auth.uid()) or (select private.is_admin()))));
  drop policy hub_asset_versions_select_anon on public.hub_asset_versions;
  create policy hub_asset_versions_select_anon on public.hub_asset_versions for select to anon
  using (exists (select from public.hub_assets a where a.id = hub_asset_versions.asset_id and a.is_visible and (
    a.current_version = hub_asset_versions.version or (hub_asset_versions.is_open and hub_asset_versions.yanked_at is null))));
  drop policy hub_asset_versions_select on public.hub_asset_versions;
  create policy hub_asset_versions_select on public.hub_asset_versions for select to authenticated
  using (exists (select from public.hub_assets a where a.id = hub_asset_versions.asset_id and (
    (a.is_visible and a.current_version = hub_asset_versions.version)
    or (a.is_visible and hub_asset_versions.is_open and hub_asset_versions.yanked_at is null)
    or (a.deleted_at is null and (a.creator_id = (select auth.uid()) or (select private.is_admin()))))));`;

/** Measures a statement in a transaction that is rolled back, so that changed policies do not stay. The first call is not measured. */
async function timed(
  one: postgres.Sql,
  role: string,
  user: string,
  statement: string,
  before: boolean,
): Promise<number> {
  let took = 0;
  await one
    .begin(async (tx) => {
      if (before) await tx.unsafe(BEFORE);
      await tx`
        select set_config('request.jwt.claim.sub', ${role === "anon" ? "" : user}, true),
          set_config('request.jwt.claims', ${JSON.stringify({ sub: user, role })}, true), set_config('role', ${role}, true)`;
      await tx.unsafe(statement);
      const started = performance.now();
      await tx.unsafe(statement);
      took = performance.now() - started;
      throw new Error("rolled back");
    })
    .catch((error: Error) => {
      if (error.message !== "rolled back") throw error;
    });
  return took;
}

async function fill(sql: postgres.Sql): Promise<{ reader: string; slug: string }> {
  const users = await sql<{ id: string }[]>`
    insert into auth.users (id) select gen_random_uuid() from generate_series(1, 500) returning id`;
  const [reader = { id: "" }] = users;
  const ids = users.map(({ id }) => id);
  await sql`
    insert into organizations (name, slug)
    select 'Team ' || i, 'team-' || translate(i::text, '0123456789', 'abcdefghjk') || 'z' from generate_series(1, ${ORGANIZATIONS}::int) i`;
  await sql`
    insert into organization_members (organization_id, user_id, role)
    select o.id, u.id, 'member'
    from (select id, row_number() over (order by slug) as n from organizations) o
    join unnest(${ids}::uuid[]) with ordinality u (id, n) on u.n % ${ORGANIZATIONS} = o.n % ${ORGANIZATIONS} or (u.n = 1 and o.n <= 6)`;
  process.stderr.write("made the organizations\n");
  await sql.begin(async (tx) => {
    // Insert without the triggers, which would take an hour. The statements below write the search rows of the triggers.
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into hub_assets (
        asset_type, ref_id, creator_id, slug, title, description, tags, is_public, current_version, organization_id, shared_at, published_at,
        content_updated_at, star_count, install_count
      )
      select (array['template', 'component', 'ai_preset', 'orchestration'])[1 + i / 2 % 4], gen_random_uuid(), (${ids}::uuid[])[1 + i % 500],
        'asset-' || i, 'Asset ' || i, 'Does something.', array['tag-' || i % 100], i % 2 = 0, 1,
        case when i % 2 = 1 then o.ids[1 + (i / 2) % ${ORGANIZATIONS}::int] end, case when i % 2 = 1 then now() - i * interval '1 second' end,
        case when i % 2 = 0 then now() - i * interval '1 second' end, now() - i * interval '1 second', i % 7, i % 11
      from generate_series(1, ${ASSETS}::int) i
      cross join (select array_agg(id order by slug) as ids from organizations) o`;
    await tx`
      insert into hub_asset_versions (asset_id, version, payload, sha256, license, is_open, organization_id)
      select id, 1, '{"content": "Hello"}', repeat('0', 64), 'platform-free', true, organization_id from hub_assets`;
    await tx`
      insert into private.hub_documents
      select (d.made).* from (select private.make_document(a) as made from hub_assets a where a.is_visible offset 0) d`;
    await tx`
      insert into private.hub_listing_tags
      select a.id, a.tags[1], a.published_at, a.content_updated_at, a.install_count, a.star_count, private.tag_bits(a.tags)
      from hub_assets a where a.is_visible`;
    await tx`
      insert into private.shelf_documents
      select (d.made).asset_id, d.organization_id, (d.made).title_key, (d.made).document
      from (select a.organization_id, private.make_document(a) as made from hub_assets a where a.is_shared offset 0) d`;
  });
  await sql`vacuum analyze`;
  process.stderr.write(`made ${ASSETS} listings\n`);
  const [team] = await sql<{ slug: string }[]>`
    select o.slug from organizations o join organization_members m on m.organization_id = o.id where m.user_id = ${reader.id} order by o.slug limit 1`;
  return { reader: reader.id, slug: team?.slug ?? "" };
}
