import { afterAll, beforeAll, expect, test } from "vitest";
import { cloneDatabase } from "../support/database.ts";
import { makeAsset } from "../support/hub.ts";
import { overHttp, publishableKey, type Service } from "../support/service.ts";

/* Tests what a guest may send to discovery over HTTP, by GET and by POST: 422 or 400 with the name of the field, and never a 500. */

const db = await cloneDatabase();
let service: Omit<Service, "console">;
beforeAll(async () => {
  service = await overHttp(db);
  for (const title of ["Minutes A", "Minutes B"]) await makeAsset(db.sql, { title, slug: "of-a-test" });
});
afterAll(async () => {
  await service.stop();
  await db.drop();
});

type Args = Record<string, unknown>;

/** Returns the status, the code and the rest of an answer. */
async function answer(path: string, init: RequestInit = {}) {
  const headers = { apikey: publishableKey, "Content-Type": "application/json" };
  const response = await service.fetch(`/rest/v1/rpc/${path}`, { ...init, headers });
  const body = await response.json();
  const paths: string[] =
    body.code === "PT422" ? JSON.parse(body.details).errors.map((fault: { path: string }) => fault.path) : [];
  return { status: response.status, code: body.code, message: String(body.message), paths, body };
}

const listOf = (value: unknown[]) =>
  `{${value.map((one) => (one === null ? "NULL" : `"${one}"`)).join(",")}}`;

const get = (name: string, args: Args) => {
  const texts = Object.entries(args).map(([key, value]) => [
    key,
    Array.isArray(value) ? listOf(value) : String(value),
  ]);
  return answer(`${name}?${new URLSearchParams(Object.fromEntries(texts))}`);
};
const post = (name: string, args: Args) => answer(name, { method: "POST", body: JSON.stringify(args) });

test.each<[path: string, values: unknown[]]>([
  ["page_size", [0, -1, 101, 1e9]],
  ["sort", ["best", "", "star_count.desc", "relevance"]],
  ["types", [["prompt"], ["template", "prompt"], ["template,or=(is_hidden.eq.true)"], [null]]],
  [
    "tags",
    [["a b"], ["x".repeat(65)], ["(is_hidden.is.true)"], Array.from({ length: 500 }, (_, i) => `t${i}`)],
  ],
  ["q", ["x".repeat(501), "é".repeat(2000)]],
  ["model", ["gpt 4o", "m".repeat(400)]],
  ["cardinality", ["2to1", "1to1,batch"]],
  ["license", ["mine", "(cc0,paid)"]],
  ["creator", ["c".repeat(101)]],
])("%s out of its range is 422 and named", async (path, values) => {
  for (const value of values) {
    for (const { status, message, paths } of [
      await get("hub_search", { [path]: value }),
      await post("hub_search", { [path]: value }),
    ])
      expect([status, message, paths], JSON.stringify(value).slice(0, 80)).toEqual([
        422,
        "validation_failed",
        [path],
      ]);
  }
});

test("every fault at once; ten thousand tags; the page size of trending", async () => {
  const { paths } = await post("hub_search", { page_size: 0, sort: "x", license: "y", types: ["z"] });
  expect(paths.sort()).toEqual(["license", "page_size", "sort", "types"]);
  const tags = Array.from({ length: 10_000 }, (_, i) => `t${i}`);
  expect(await post("hub_search", { tags })).toMatchObject({ status: 422, paths: ["tags"] });
  for (const page_size of [0, -1, 101, 1e9])
    expect(await get("hub_trending", { page_size })).toMatchObject({ status: 422, paths: ["page_size"] });
});

test("a cursor of another query, cut, lengthened, or forged is malformed", async () => {
  const { body } = await get("hub_search", { page_size: 1 });
  const cursor: string = body.next_cursor;
  const place = JSON.parse(Buffer.from(cursor, "base64url").toString());
  const forged = (change: Args) => Buffer.from(JSON.stringify({ ...place, ...change })).toString("base64url");
  expect((await get("hub_search", { cursor: forged({}) })).body.items).toHaveLength(1);
  const others = [cursor.slice(0, -4), `${cursor}AAAA`, "", "x", "e30", "%00", "x".repeat(3000)].map(
    (text): Args => ({ cursor: text }),
  );
  const changes: Args[] = [
    ...[
      { list: "search x" },
      { list: null },
      { id: "x" },
      { id: null },
      { key: 7 },
      { key: null },
      { key: "'" },
    ],
  ];
  const ofAnotherQuery: Args[] = [{ q: "minutes" }, { sort: "most_starred" }, { types: ["template"] }].map(
    (args) => ({ ...args, cursor }),
  );
  for (const args of [
    ...others,
    ...changes.map((change) => ({ cursor: forged(change) })),
    ...ofAnotherQuery,
  ]) {
    for (const { status, message } of [await get("hub_search", args), await post("hub_search", args)])
      expect([status, message], JSON.stringify(args).slice(0, 200)).toEqual([400, "malformed_cursor"]);
  }
  const asset_id = body.items[0].id;
  expect(await get("hub_remixes", { asset_id, cursor })).toMatchObject({
    status: 400,
    message: "malformed_cursor",
  });
});

test("what no argument's type can be is 400 by both ways, and so is NUL", async () => {
  for (const [name, args] of [
    ...["abc", "", "1.5", "1e99", 1e10].map((page_size) => ["hub_search", { page_size }]),
    ...["notarray", "{unclosed", "template", "{a,b}}", 7].map((types) => ["hub_search", { types }]),
    ...["{unclosed", '{"a}', 7].map((tags) => ["hub_search", { tags }]),
    ...["q", "model", "license", "creator"].map((field) => ["hub_search", { [field]: "a\0b" }]),
    ["hub_search", { tags: ["a\0b"] }],
    ["hub_search", { facets: "perhaps" }],
    ["hub_trending", { page_size: "many" }],
    ["hub_creator", { username: "a\0b" }],
    ["hub_asset", { id_or_slug: "a\0b" }],
    ["hub_asset", { id_or_slug: "x", version: "newest" }],
    ["hub_remixes", { asset_id: "x" }],
  ] as [string, Args][]) {
    for (const { status, code } of [await get(name, args), await post(name, args)])
      expect([status, code], `${name} ${JSON.stringify(args)}`).toEqual([
        400,
        expect.stringMatching(/^22(P02|003|021)$/),
      ]);
  }
  for (const types of ["{}", []]) expect((await get("hub_search", { types })).body.items).toHaveLength(2);
});

test("operators of PostgREST are plain text in an argument, and no argument of their own", async () => {
  for (const q of ["is_hidden=eq.true", "or=(is_hidden.eq.true)", "%", "*", "minutes&is_public=eq.false"])
    expect(await get("hub_search", { q })).toMatchObject({ status: 200 });
  for (const args of [
    { is_hidden: "eq.true" },
    { or: "(is_hidden.eq.true)" },
    { query: "x" },
    { order: "is_hidden.desc" },
  ]) {
    const [byGet, byPost] = [await get("hub_search", args), await post("hub_search", args)];
    expect([400, 404], JSON.stringify(args)).toContain(byGet.status);
    expect(byPost).toMatchObject({ status: 404, code: "PGRST202" });
    expect(byPost.message).toContain(Object.keys(args)[0]);
  }
  // In a GET, PostgREST reads a value that begins with an operator (`in.`) as a filter on a column. The answer has no such column. So
  // @keyhub/hub uses POST.
  for (const [field, value] of [
    ["license", "in.(cc0,paid)"],
    ["cardinality", "eq.1to1"],
  ] as const) {
    expect(await get("hub_search", { [field]: value })).toMatchObject({ status: 400, code: "42703" });
    expect(await post("hub_search", { [field]: value })).toMatchObject({ status: 422, paths: [field] });
  }
});
