import { afterAll, beforeAll, expect, test } from "vitest";
import { cloneDatabase } from "../support/database.ts";
import { makeAsset } from "../support/hub.ts";
import { inProcess, type Service } from "../support/service.ts";

/* Tests discovery over REST by GET, as a CDN would request and cache it. */

const db = await cloneDatabase();
let service: Service;
beforeAll(async () => {
  service = await inProcess(db);
  for (const title of ["Meeting minutes", "会議の議事録", "C++ reviewer"])
    await makeAsset(db.sql, { title, slug: "of-a-test", tags: ["summarization", "gpt-4o"] });
});
afterAll(async () => {
  await service.stop();
  await db.drop();
});

const found = async (query: Record<string, string>, name = "hub_search") => {
  const { data, error, status } = await service.client().rpc(name, query, { get: true });
  return error
    ? [status, error.message, error.details]
    : data.items.map(({ title }: { title: string }) => title);
};

test("every function of discovery answers GET", async () => {
  expect(await found({ q: "minutes" })).toEqual(["Meeting minutes"]);
  expect(await found({ q: "C++" })).toEqual(["C++ reviewer"]);
  expect(await found({ q: "議事録" })).toEqual(["会議の議事録"]);
  expect(await found({ types: "{template}", tags: "{summarization}", sort: "newest" })).toHaveLength(3);
  expect(await found({ page_size: "1" })).toHaveLength(1);
  for (const name of ["hub_trending", "hub_featured_assets"]) expect(await found({}, name)).toEqual([]);
  const suggested = (await db.sql`select tag from private.suggested_tags() order by place`).map(
    ({ tag }) => tag,
  );
  const { data: categories } = await service.client().rpc("hub_categories", {}, { get: true });
  expect(categories.items.map(({ tag }: { tag: string }) => tag)).toEqual(suggested);
  const username = (await db.sql`select username from hub_profiles limit 1`)[0]?.username;
  const { data } = await service.client().rpc("hub_creator", { username }, { get: true });
  expect(data).toMatchObject({ username, published_assets: 1 });
});

test("and POST, page by page", async () => {
  const client = service.client();
  const first = await client.rpc("hub_search", { page_size: 2, facets: true });
  expect(first.data.items).toHaveLength(2);
  expect(first.data.facets.models).toEqual([{ value: "gpt-4o", count: 3 }]);
  const second = await client.rpc("hub_search", { page_size: 2, cursor: first.data.next_cursor });
  expect([second.data.items.length, second.data.next_cursor]).toEqual([1, null]);
});

test("no answer shows what is hidden", async () => {
  await db.sql`update hub_assets set is_hidden = true where title = 'Meeting minutes'`;
  for (const query of [{}, { q: "minutes" }, { q: "Meeting minutes" }, { tags: "{summarization}" }] as Record<
    string,
    string
  >[])
    expect(await found(query)).not.toContain("Meeting minutes");
});
