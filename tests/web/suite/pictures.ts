import { readFile } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cleanPicture } from "../../../packages/core/src/hub/pictures/index.ts";
import { assetPath } from "../../../packages/web/src/data/addresses.ts";
import { assetTypes, makeAsset, makeUser } from "../../support/hub.ts";
import { stack, violations, visit } from "../fixture.ts";
import { finish, member } from "../people.ts";

let sql: postgres.Sql;
beforeAll(() => {
  sql = postgres(stack.databaseUrl, { max: 2, onnotice: () => {} });
});
afterAll(() => sql?.end());

const folder = join(import.meta.dirname, "../../fixtures/pictures");
const get = (path: string, init: RequestInit = {}) =>
  fetch(`${stack.url}${path}`, { redirect: "manual", ...init });
const pngOf = async (path: string) => {
  const response = await get(path);
  const bytes = Buffer.from(await response.arrayBuffer());
  return {
    status: response.status,
    size: [bytes.readUInt32BE(16), bytes.readUInt32BE(20)],
    bytes,
    headers: response.headers,
  };
};

test("a creator uploads a picture; card, page, embed, feed, JSON and oEmbed show it, until it is removed", async () => {
  const visitor = await member("/favicon.svg");
  const { page, id: userId } = visitor;
  const { id, slug } = await makeAsset(sql, { creator: userId, slug: "pictured", title: "Pictured" });
  const elsewhere = "https://example.test/elsewhere.png";
  await sql`update hub_assets set thumbnail_url = ${elsewhere} where id = ${id}`;

  await page.goto("/workspace/listings");
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  // A file that is not a picture is refused, and the message is shown where the user is.
  const file = page.getByLabel("A picture of your own");
  await file.setInputFiles({ name: "x.png", mimeType: "image/png", buffer: Buffer.from("no picture") });
  await page.getByText("must be a PNG, JPEG or WebP").waitFor();
  await file.setInputFiles(join(folder, "rotated.jpg"));
  await page.getByText("The picture is on the listing.").waitFor();
  const shown = page.getByRole("img", { name: "What stands on the listing now" });
  await shown.waitFor();
  // The picture is shown as it was taken: 24 × 16, turned on its side.
  expect(await shown.evaluate((img: HTMLImageElement) => [img.naturalWidth, img.naturalHeight])).toEqual([
    16, 24,
  ]);
  expect(await violations(page, [], "main article")).toEqual([]);

  const [row] = await sql<{ picture: string }[]>`select picture from hub_assets where id = ${id}`;
  const address = `${stack.url}/functions/v1/hub-picture/${id}/${row?.picture}`;
  const path = `/hub/templates/${slug}`;
  for (const [where, selector] of [
    [path, ".asset-picture"],
    [`/hub/embed/${slug}`, ".embed-picture"],
  ] as const) {
    await page.goto(where);
    const picture = page.locator(selector).first();
    expect([where, await picture.getAttribute("src")]).toEqual([where, address]);
    await page.waitForFunction(
      (one) => (document.querySelector(one) as HTMLImageElement).naturalWidth > 0,
      selector,
    );
  }
  expect(await (await get(`/hub?q=${slug}`)).text()).toContain(`<img src="${address}"`);
  expect(await (await get(path)).text()).toContain(`property="og:image" content="${address}"`);
  expect(await (await get("/hub/feed.xml")).text()).toContain(`<link rel="enclosure" href="${address}"/>`);
  expect(await (await get(`${path}.json`)).json()).toMatchObject({
    picture: row?.picture,
    links: { picture: address },
  });
  const oembed = await get(`/api/oembed?url=${encodeURIComponent(stack.url + path)}`);
  expect(await oembed.json()).toMatchObject({ thumbnail_url: address });

  await page.goto("/workspace/listings");
  await page.getByRole("button", { name: "Unpublish" }).click();
  await page.getByRole("button", { name: "Publish again" }).waitFor();
  expect((await fetch(address)).status).toBe(404);
  // The owner of the listing sees the picture nevertheless.
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await shown.waitFor();
  await page.getByRole("button", { name: "Remove the picture" }).click();
  await page.getByText("The picture is removed.").waitFor();
  await page.getByRole("button", { name: "Publish again" }).click();
  await page.getByRole("button", { name: "Unpublish" }).waitFor();
  expect(await (await get(`${path}.json`)).json()).toMatchObject({
    picture: null,
    links: { picture: elsewhere },
  });
  visitor.complaints = visitor.complaints.filter((one) => !/ERR_|example\.test/.test(one));
  await finish(visitor);
});

test("a browser draws a cleaned picture as its original, pixel by pixel", async () => {
  const { page, close } = await visit("/favicon.svg");
  for (const name of [
    "photo.jpg",
    "rotated.jpg",
    "photo.png",
    "palette.png",
    "photo.webp",
    "lossless.webp",
  ]) {
    const original = await readFile(join(folder, name));
    const cleaned = cleanPicture(original);
    if (!cleaned.ok) throw new Error(name);
    const drawn = async (bytes: Uint8Array) =>
      page.evaluate(async (base64) => {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        // The colour profile is ignored, because it is metadata and is removed.
        const picture = await createImageBitmap(new Blob([bytes]), { colorSpaceConversion: "none" });
        const canvas = new OffscreenCanvas(picture.width, picture.height);
        const context = canvas.getContext("2d");
        context?.drawImage(picture, 0, 0);
        const { data } = context?.getImageData(0, 0, picture.width, picture.height) ?? { data: [] };
        return [picture.width, picture.height, ...data].join();
      }, Buffer.from(bytes).toString("base64"));
    const [before, after] = [await drawn(original), await drawn(cleaned.value.bytes)];
    expect([name, before === after, before.length > 1000]).toEqual([name, true, true]);
  }
  await close();
});

test("the picture of a link: a PNG of 1200 × 630 of every type, a 304 when nothing changed", async () => {
  for (const type of assetTypes) {
    const { slug } = await makeAsset(sql, {
      type,
      slug: `linked-${type.replace("_", "-")}`,
      title: `A ${"long ".repeat(20)}title`,
    });
    const path = `${assetPath({ asset_type: type, slug })}.png`;
    const { status, size, headers } = await pngOf(path);
    expect([path, status, size, headers.get("content-type")]).toEqual([path, 200, [1200, 630], "image/png"]);
    const etag = headers.get("etag") ?? "";
    expect((await get(path, { headers: { "If-None-Match": etag } })).status).toBe(304);
    expect(headers.get("cache-control")).toMatch(/^public, max-age=60/);
  }
});

test("what is hidden, private or not there has no picture of a link, what is deleted is gone", async () => {
  const { id, slug } = await makeAsset(sql, { slug: "link-hidden" });
  const path = `/hub/templates/${slug}.png`;
  expect((await pngOf(path)).status).toBe(200);
  await sql`update hub_assets set is_hidden = true where id = ${id}`;
  expect((await get(path)).status).toBe(404);
  await sql`update hub_assets set is_hidden = false, is_public = false where id = ${id}`;
  expect((await get(path)).status).toBe(404);
  await sql`update hub_assets set deleted_at = now() where id = ${id}`;
  expect([(await get(path)).status, (await get("/hub/templates/not-there.png")).status]).toEqual([410, 404]);
});

test("many pictures asked for at once are drawn or stand for their type", async () => {
  const creator = await makeUser(sql);
  const slugs = await Promise.all(
    Array.from(
      { length: 8 },
      async (_, n) => (await makeAsset(sql, { creator, slug: `at-once-${n}`, title: `At once ${n}` })).slug,
    ),
  );
  const all = await Promise.all(slugs.map((slug) => get(`/hub/templates/${slug}.png`)));
  for (const answer of all) {
    expect([200, 302]).toContain(answer.status);
    if (answer.status === 302) {
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect((await get(answer.headers.get("location") ?? "")).headers.get("content-type")).toBe("image/png");
    }
  }
  // A request that got the picture of the type may be repeated, and then gets the drawn picture.
  expect((await pngOf(`/hub/templates/${slugs[0]}.png`)).status).toBe(200);
});
