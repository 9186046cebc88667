import { createHash, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import { cleanPicture, PICTURE } from "../../packages/core/src/hub/pictures/index.ts";
import { PROBLEM_TYPE } from "../../packages/core/src/problem.ts";
import { publish } from "../support/hub.ts";
import { inProcess, onDeno } from "../support/service.ts";
import { importFixture } from "./import/fixture.ts";
import { type Fixture, tokenOf } from "./publish/fixture.ts";

const file = (name: string) => readFileSync(join(import.meta.dirname, "../fixtures/pictures", name));
const PHOTO = file("photo.jpg");

/** Returns the bytes that the hub stores for a picture file, and their hash. */
function cleaned(bytes: Buffer) {
  const result = cleanPicture(bytes);
  if (!result.ok) throw new Error("refused");
  const stored = Buffer.from(result.value.bytes);
  return { stored, sha256: createHash("sha256").update(stored).digest("hex") };
}

/** Makes a PNG of `size` bytes, with one chunk more after its pixels. */
function pngOf(size: number): Buffer {
  const png = Buffer.from(cleaned(file("palette.png")).stored);
  const chunk = Buffer.alloc(size - png.length);
  chunk.writeUInt32BE(chunk.length - 12);
  chunk.write("IDAT", 4);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return Buffer.concat([png.subarray(0, -12), chunk, png.subarray(-12)]);
}

const inNode = importFixture(inProcess);
const inDeno = importFixture((db) => onDeno(db, [], ["hub-picture"]));

function callsOf(fixture: Fixture) {
  const send = async (path: string, token: string | null, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    if (token !== null) headers.set("Authorization", `Bearer ${token}`);
    const answer = await fixture.service.fetch(`/functions/v1/hub-picture/${path}`, { ...init, headers });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const isJson = answer.headers.get("content-type")?.includes("json");
    return {
      ...{ status: answer.status, headers: answer.headers, bytes },
      body: isJson ? JSON.parse(bytes.toString()) : null,
    };
  };
  return {
    send,
    put: (
      listing: string,
      token: string | null,
      body: BodyInit | Buffer = PHOTO,
      headers: Record<string, string> = {},
    ) => send(listing, token, { method: "PUT", body: body as BodyInit, headers }),
    remove: (listing: string, token: string | null) => send(listing, token, { method: "DELETE" }),
    see: (id: string, sha256: string, token: string | null = null, headers: Record<string, string> = {}) =>
      send(`${id}/${sha256}`, token, { headers }),
  };
}

describe.each([
  ["in this process", inNode],
  ["on Deno", inDeno],
])("%s", (_, fixture) => {
  const { put, remove, see } = callsOf(fixture);

  test("the owner uploads it, everybody sees it without its metadata, the owner removes it", async () => {
    const { id, slug, creator } = await inListing(fixture);
    const { stored, sha256 } = cleaned(PHOTO);
    // The name and the type of the file are ignored.
    const headers = {
      "Content-Type": "text/html",
      "Content-Disposition": 'attachment; filename="SECRET.html"',
    };
    for (const name of [slug, id]) {
      const { status, body } = await put(name, creator.token, PHOTO, headers);
      expect([status, body]).toEqual([200, { id, picture: sha256 }]);
    }
    const seen = await see(id, sha256);
    expect(seen.bytes).toEqual(stored);
    expect(seen.bytes.toString("latin1")).not.toContain("SECRET");
    expect(Object.fromEntries(seen.headers)).toMatchObject({
      ...{ "content-type": "image/jpeg", etag: `"${sha256}"`, "cache-control": "public, max-age=300" },
      ...{ "x-content-type-options": "nosniff", "content-security-policy": "default-src 'none'; sandbox" },
      ...{ "access-control-allow-origin": "*" },
    });
    const known = await see(id, sha256, null, { "If-None-Match": `W/"${sha256}"` });
    expect([known.status, known.bytes.length]).toEqual([304, 0]);
    for (let times = 0; times < 2; times += 1)
      expect((await remove(slug, creator.token)).body).toEqual({ id, picture: null });
    expect((await see(id, sha256)).status).toBe(404);
  });

  test("a body larger than it may be is 413, one of exactly that size is stored", async () => {
    const { slug, creator } = await inListing(fixture);
    expect((await put(slug, creator.token, pngOf(PICTURE.bytes))).status).toBe(200);
    const { status, body } = await put(slug, creator.token, pngOf(PICTURE.bytes + 1));
    expect([status, body.code]).toEqual([413, "body_too_large"]);
  });
});

const { send, put, remove, see } = callsOf(inNode);

/** Makes a listing of a new user. */
async function inListing(fixture: Fixture) {
  const creator = await fixture.join();
  const wanted = `a-greeting-${randomUUID().slice(0, 8)}`;
  const { asset_id: id, slug } = await publish(fixture.db.sql, creator.id, { slug: wanted });
  return { creator, id, slug };
}

test.each([
  ["photo.png", "image/png"],
  ["rotated.jpg", "image/jpeg"],
  ["photo.webp", "image/webp"],
])("%s is shown as %s", async (name, type) => {
  const { id, slug, creator } = await inListing(inNode);
  const { stored, sha256 } = cleaned(file(name));
  await put(slug, creator.token, file(name));
  const seen = await see(id, sha256);
  expect([seen.bytes, seen.headers.get("content-type")]).toEqual([stored, type]);
});

test("what is no picture is refused with every reason in one form, and the old picture stays", async () => {
  const { id, slug, creator } = await inListing(inNode);
  await put(slug, creator.token);
  const bad: [string, Buffer | string][] = [
    ["not_a_picture", ""],
    ["not_a_picture", "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"],
    ["cut_off", PHOTO.subarray(0, 600)],
    [
      "damaged",
      Buffer.concat([PHOTO.subarray(0, 2), Buffer.from([0xff, 0xc9, 0, 4, 1, 1]), PHOTO.subarray(2)]),
    ],
  ];
  for (const [code, bytes] of bad) {
    const { status, headers, body } = await put(slug, creator.token, bytes);
    expect([status, headers.get("content-type"), body]).toMatchObject([
      ...[422, PROBLEM_TYPE],
      { code: "validation_failed", errors: [{ path: "", code }] },
    ]);
  }
  expect((await see(id, cleaned(PHOTO).sha256)).status).toBe(200);
});

test("who may not write is refused before any of the body is read", async () => {
  const { id, slug, creator } = await inListing(inNode);
  const stranger = await inNode.join();
  const refused = async (token: string | null) => {
    let read = 0;
    const body = new ReadableStream({
      pull: (controller) => {
        read += 1;
        controller.enqueue(new Uint8Array(65_536));
      },
    });
    const answer = await send(slug, token, { method: "PUT", body, duplex: "half" } as RequestInit);
    return [answer.status, answer.body.code, read <= 1];
  };
  expect(await refused(null)).toEqual([401, "missing_credential", true]);
  expect(await refused("nobody")).toEqual([401, "invalid_credential", true]);
  expect(await refused(tokenOf(stranger.id, { is_anonymous: true }))).toEqual([
    401,
    "account_required",
    true,
  ]);
  for (const call of [put, remove]) {
    expect(await call(slug, stranger.token)).toMatchObject({ status: 403, body: { code: "not_owner" } });
    expect(await call("nothing-of-this-name", stranger.token)).toMatchObject({
      ...{ status: 404, body: { code: "asset_not_found" } },
    });
  }
  await inNode.db.sql`insert into private.hub_bans (user_id, reason) values (${creator.id}, 'For a test.')`;
  for (const call of [put, remove])
    expect(await call(id, creator.token)).toMatchObject({ status: 403, body: { code: "banned" } });
});

test("a hidden or private picture is its owner's, and in nobody's shared cache", async () => {
  const { id, slug, creator } = await inListing(inNode);
  const { sha256 } = cleaned(PHOTO);
  await put(slug, creator.token);
  await inNode.db.sql`update hub_assets set is_hidden = true where id = ${id}`;
  const stranger = await inNode.join();
  for (const token of [null, stranger.token, tokenOf(stranger.id, { is_anonymous: true })])
    expect(await see(id, sha256, token)).toMatchObject({ status: 404, body: { code: "asset_not_found" } });
  const own = await see(id, sha256, creator.token);
  expect([own.status, own.headers.get("cache-control"), own.headers.get("vary")]).toEqual([
    ...[200, "private, max-age=300", "Authorization"],
  ]);
  await inNode.db.sql`update hub_assets set is_hidden = false, deleted_at = now() where id = ${id}`;
  expect((await see(id, sha256, creator.token)).status).toBe(404);
});

test("other addresses and methods are not there", async () => {
  const hash = "0".repeat(64);
  for (const path of ["", "a/b", `${randomUUID()}/${hash}/more`, "%ff", `a/${hash.toUpperCase()}F`])
    expect((await send(path, null)).status).toBe(404);
  for (const path of [`not-an-id/${hash}`, `${randomUUID()}/${hash}`])
    expect((await send(path, null)).body).toMatchObject({ status: 404, code: "asset_not_found" });
  const [read, written] = [
    await send(`${randomUUID()}/${hash}`, null, { method: "PUT" }),
    await send("a", null),
  ];
  expect([read.status, read.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  expect([written.status, written.headers.get("allow")]).toEqual([405, "PUT, DELETE, OPTIONS"]);
  const preflight = await send("a", null, { method: "OPTIONS" });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get("access-control-allow-methods")).toMatch(/PUT.*DELETE/);
});

test("a call more than an hour allows is 429 with the time to wait", async () => {
  const { slug, creator } = await inListing(inNode);
  await inNode.db.sql`
    insert into private.hub_calls (user_id, kind) select ${creator.id}, 'pictures' from generate_series(1, ${PICTURE.perHour}::int)`;
  const { status, headers, body } = await put(slug, creator.token);
  expect([status, body.code, body.limit]).toEqual([429, "rate_limited", "pictures"]);
  expect(Number(headers.get("retry-after"))).toBe(body.retry_after);
});
