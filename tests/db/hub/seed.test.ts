import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { emptyPrivate, rederive } from "../../../packages/core/src/hub/formats/index.ts";
import { repository } from "../../support/cli.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { wrongCounters } from "../../support/hub.ts";

let db: Clone;
beforeAll(async () => {
  db = await cloneDatabase();
  for (const file of ["hub.sql", "hub.sql", "selling.sql", "selling.sql"])
    await db.sql.unsafe(await readFile(join(repository, "supabase", "seeds", file), "utf8"));
});
afterAll(() => db.drop());

test("41 listings of all types by 8 creators, remixes three deep, featured ones, one hidden, one for sale", async () => {
  const [row] = await db.sql`
    select count(*)::int as assets, count(distinct asset_type)::int as types, count(distinct creator_id)::int as creators,
      max(remix_depth) as depth, count(*) filter (where is_hidden)::int as hidden, bool_and(star_count > 0 or is_hidden or license = 'paid') as starred, count(*) filter (where price_cents > 0)::int as sold,
      (select count(*)::int from hub_featured) as featured, (select count(*)::int from hub_bundle_items) as items
    from hub_assets`;
  expect(row).toEqual({
    assets: 41,
    types: 4,
    creators: 8,
    depth: 3,
    hidden: 1,
    sold: 1,
    starred: true,
    featured: 5,
    items: 3,
  });
  expect(await wrongCounters(db.sql)).toEqual([]);
});

test("every sha256 is that of the payload's canonical form", async () => {
  const rows = await db.sql`
    select payload, sha256 from hub_asset_versions union all select payload, sha256 from hub_bundle_items`;
  expect(rows.length).toBe(44);
  for (const { payload, sha256 } of rows) {
    expect(createHash("sha256").update(canonical(payload)).digest("hex")).toBe(sha256);
  }
});

test("six are files of other tools, shown as their files say, and without anything private", async () => {
  const rows = await db.sql`
    select v.payload from hub_asset_versions v where v.payload ? 'source_text' order by v.payload ->> 'source_format'`;
  const formats = ["dify", "flowise", "langflow", "n8n", "sillytavern-preset", "skill"];
  expect(rows.map(({ payload }) => payload.source_format)).toEqual(formats);
  for (const { payload } of rows) {
    const { name: _, ...read } = rederive(payload) ?? {};
    const { name: __, ...stored } = payload;
    expect(withoutNulls(read)).toEqual(stored);
    expect(emptyPrivate(payload)).toBe(payload);
  }
});

const withoutNulls = (payload: object) =>
  Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== null));

test("each stage of the research brief has settings, and a template that the bundle brings along", async () => {
  const stages = await db.sql`
    select s.stage ->> 'name' as name, s.stage -> 'settings' <> '{}' as has_settings, i.title
    from hub_assets a
    join hub_asset_versions v on v.asset_id = a.id
    cross join jsonb_array_elements(v.payload -> 'stage_configs') s (stage)
    left join hub_bundle_items i on i.asset_id = a.id and i.ref_id = (s.stage ->> 'prompt_template_id')::uuid
    where a.slug = 'research-brief-in-three-steps'`;
  expect(stages).toEqual([
    { name: "Collect claims", has_settings: true, title: "Collect claims from sources" },
    { name: "Check sources", has_settings: true, title: "Check a claim against its source" },
    { name: "Write the brief", has_settings: true, title: "One-page brief from checked claims" },
  ]);
});

/** Writes JSON in the form of RFC 8785, for the values in the seed. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, below]) => `${JSON.stringify(key)}:${canonical(below)}`).join(",")}}`;
}
