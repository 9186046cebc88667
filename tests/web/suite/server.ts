import { join } from "node:path";
import type { Page } from "playwright-core";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { permalink } from "../../../packages/core/src/hub/index.ts";
import { PROBLEM_TYPE } from "../../../packages/core/src/problem.ts";
import { builtSite } from "../../../packages/local/src/index.ts";
import { assetPath, SECTIONS, TYPE_OF_SECTION } from "../../../packages/web/src/data/addresses.ts";
import type { BundleItem, Finding, Listing } from "../../../packages/web/src/data/hub.ts";
import { Content } from "../../../packages/web/src/parts/content.tsx";
import { renderPage } from "../../../packages/web/src/render.tsx";
import { signedIn } from "../../support/actors.ts";
import { assetTypes, importAsset, makeAsset, makeUser, publish, type Snapshot } from "../../support/hub.ts";
import { stack, visit } from "../fixture.ts";

let sql: postgres.Sql;
beforeAll(() => {
  sql = postgres(stack.databaseUrl, { max: 2, onnotice: () => {} });
});
afterAll(() => sql?.end());

const get = (path: string, init: RequestInit = {}) =>
  fetch(`${stack.url}${path}`, { redirect: "manual", ...init });

/** A text that would have an effect in a page that forgot to escape it. */
const HOSTILE =
  '"><img src=x onerror=alert(1)><script>alert(2)</script></title></script><!--\'{{constructor.constructor("alert(3)")()}}';

const PAYLOADS: Record<(typeof assetTypes)[number], Record<string, unknown>> = {
  template: {
    name: HOSTILE,
    content: `\u202egnp.exe \u2066x ${HOSTILE} {{name}} {{${HOSTILE}}}`,
    variables: [{ name: HOSTILE, description: HOSTILE }],
  },
  component: {
    name: HOSTILE,
    source: `// ${HOSTILE}\nexport default () => null`,
    props_schema: { title: HOSTILE },
  },
  orchestration: {
    name: HOSTILE,
    nodes: [
      { id: HOSTILE, type: HOSTILE, position: { x: "1", y: null }, data: { label: HOSTILE } },
      { id: "note", type: "note", data: { label: HOSTILE, parameters: { text: HOSTILE } } },
      {
        id: "n",
        type: HOSTILE,
        data: { label: HOSTILE, parameters: { [HOSTILE]: HOSTILE, deep: [HOSTILE] } },
      },
      null,
      7,
    ],
    edges: [{ id: "e", source: HOSTILE, target: HOSTILE }],
    stage_configs: [{ id: "s", name: HOSTILE, node_id: HOSTILE, settings: {} }, null],
  },
  ai_preset: { model_id: HOSTILE, temperature: HOSTILE, [HOSTILE]: [HOSTILE] },
};

test("a component in a kit shows what the scan found in it, and no other one does", () => {
  const component = (title: string) =>
    ({ asset_type: "component", ref_id: title, title, payload: { source: title } }) as unknown as BundleItem;
  const finding = { rule: "eval", line: 7, column: 1, excerpt: "eval(x)", path: "items.1.payload.source" };
  const kit = {
    ...{ asset_type: "orchestration", title: "A kit", payload: {} },
    items: [component("Harmless"), component("Risky")],
  } as unknown as Listing;
  const [, harmless = "", risky = ""] = renderPage(
    Content({ asset: kit, findings: [finding as Finding] }),
  ).split('<details class="item"');
  expect(harmless).toContain("found nothing");
  expect(harmless).not.toContain("eval(x)");
  expect(risky).toContain("eval(x)");
  expect(risky).not.toContain("found nothing");
});

describe("addresses", () => {
  test("a section is the one of permalinks, for every type", () => {
    for (const type of assetTypes) {
      expect(assetPath({ asset_type: type, slug: "a-slug" })).toBe(permalink(type, "a-slug"));
      expect(TYPE_OF_SECTION[SECTIONS[type]]).toBe(type);
    }
  });

  test("an id and another type's section answer 301 to the one address, with their ending", async () => {
    const { id, slug } = await makeAsset(sql, { slug: "moved-here" });
    for (const [from, to] of [
      [`/hub/templates/${id}`, `/hub/templates/${slug}`],
      [`/hub/components/${slug}`, `/hub/templates/${slug}`],
      [`/hub/components/${slug}.json`, `/hub/templates/${slug}.json`],
      [`/hub/creators/ADA-LINDQVIST`, "/hub/creators/ada-lindqvist"],
    ] as const) {
      const response = await get(from);
      expect([response.status, response.headers.get("location")], from).toEqual([301, to]);
    }
  });

  test("private, hidden and missing are one answer", async () => {
    const hidden = await makeAsset(sql, { slug: "was-hidden", title: "Was hidden" });
    await sql`update hub_assets set is_hidden = true where id = ${hidden.id}`;
    const copy = await importAsset(
      sql,
      await makeUser(sql),
      (await makeAsset(sql, { slug: "for-a-copy" })).id,
    );
    const answers = await Promise.all(
      ["was-hidden", hidden.id, copy.id, "no-such-thing"].flatMap((name) =>
        [`/hub/templates/${name}`, `/hub/templates/${name}.json`, `/hub/embed/${name}`].map(async (path) => {
          const response = await get(path);
          return `${response.status} ${(await response.text()).replaceAll(name, "")}`;
        }),
      ),
    );
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toMatch(/^404 /);
    const open = await get("/api/hub/was-hidden");
    expect([open.status, await open.json()]).toMatchObject([404, { code: "asset_not_found" }]);
  });

  test("a deleted listing is gone, with what its remixes still name", async () => {
    const { slug, creator, id } = await makeAsset(sql, { slug: "to-be-deleted", title: "To be deleted" });
    await signedIn({ sql }, creator).run((tx) => tx`select hub_delete_asset(${id})`);
    const page = await get(`/hub/templates/${slug}`);
    expect(page.status).toBe(410);
    expect(await page.text()).toContain("“To be deleted” was deleted");
    const open = await get(`/api/hub/${slug}`);
    expect([open.status, await open.json()]).toMatchObject([410, { deleted: true, title: "To be deleted" }]);
  });

  test("what no link of ours asks for never ends in an error of the server", async () => {
    const paths = [
      "/hub/",
      "/hub//",
      "/hub/%00",
      "/hub/templates/%FF",
      "/hub/templates/a%2Fb",
      "/hub/templates/x/y/z",
      `/hub/templates/${"a".repeat(4_000)}`,
      "/hub?cursor=forged",
      "/hub?type=evil&sort=nothing&license=x&cardinality=9",
      `/hub?q=${"%25_".repeat(400)}`,
      `/hub?${"tag=a&".repeat(300)}`,
      "/hub?q=%00&tag=%00",
      "/hub/creators/..%2f",
      "/hub/templates/strict-json?version=99999999999",
      "/hub/ai-presets/strict-json?remixes=forged",
      "/api/oembed?url=javascript:alert(1)",
      "/api/oembed",
      "/hub/embed/%E0%A4%A",
    ];
    for (const path of paths) expect((await get(path)).status, path).toBeLessThan(500);
    expect((await get("/hub", { method: "POST" })).status).toBe(405);
    expect(await (await get("/hub", { method: "HEAD" })).text()).toBe("");
  });
});

test("an address without anything is a page for a browser, a problem for a program; functions and REST always say a problem", async () => {
  const asked = async (path: string, accept: string, method = "GET") => {
    const response = await get(path, { method, headers: { accept } });
    const type = response.headers.get("content-type")?.split(";")[0];
    return [response.status, type, (await response.text()).includes("There is nothing here")];
  };
  const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
  for (const path of ["/nope", "/nope/deeper?q=1", "/hub//", "/%6eope", "/webhook/nope"]) {
    expect(await asked(path, browser), path).toEqual([404, "text/html", true]);
    for (const accept of ["*/*", "application/json"]) {
      expect(await asked(path, accept), path).toEqual([404, PROBLEM_TYPE, false]);
    }
  }
  expect(await asked("/nope", browser, "POST")).toEqual([404, PROBLEM_TYPE, false]);
  expect(await asked("/functions/v1/nope", browser)).toEqual([404, PROBLEM_TYPE, false]);
  expect(await asked("/rest/v1/nope", browser)).toEqual([401, "application/json", false]);
});

/** Counts the elements that a hostile text made, and the attributes that run a script. */
const harm = (page: Page) =>
  page.evaluate(
    () =>
      document.querySelectorAll("img[src=x], main script").length +
      [...document.querySelectorAll("*")].filter(
        (one) =>
          [...one.attributes].some(({ name }) => name.startsWith("on")) ||
          /^(javascript|data:text)/i.test(one.getAttribute("src") ?? one.getAttribute("href") ?? ""),
      ).length,
  );

describe("hostile text", () => {
  test("in every field of every type it stays text, on every page and in every format", async () => {
    const creator = await makeUser(sql);
    await sql`update hub_profiles set username = 'hostile-author', display_name = 'A <b>name</b>' where user_id = ${creator}`;
    const { page, complaints, close } = await visit("/favicon.svg");
    page.on("dialog", () => complaints.push("a dialog"));
    for (const type of assetTypes) {
      const slug = `hostile-${type.replace("_", "-")}`;
      const what: Snapshot = {
        type,
        slug,
        title: HOSTILE.slice(0, 110),
        description: HOSTILE,
        payload: PAYLOADS[type],
      };
      await publish(sql, creator, what);
      const path = assetPath({ asset_type: type, slug });
      await page.goto(path);
      expect(await page.locator("h1").textContent(), path).toBe(what.title);
      expect(await harm(page), path).toBe(0);
      for (const other of [`/hub/embed/${slug}`, `${path}.svg`]) {
        await page.goto(other);
        expect(await harm(page), other).toBe(0);
      }
      expect((await (await get(`${path}.json`)).json()).title).toBe(what.title);
    }
    for (const list of ["/hub?q=constructor", "/hub/creators/hostile-author"]) {
      await page.goto(list);
      expect(await page.locator(".card[data-slug^=hostile-]").count(), list).toBe(assetTypes.length);
      expect(await harm(page), list).toBe(0);
    }
    expect(complaints).toEqual([]);
    await page.goto("/hub/feed.xml");
    expect(await page.evaluate(() => document.querySelector("parsererror")?.textContent)).toBeUndefined();
    // The HTML that another site inserts is one iframe and nothing else.
    const listing = encodeURIComponent(`${stack.url}/hub/templates/hostile-template`);
    const { html } = (await (await get(`/api/oembed?url=${listing}`)).json()) as { html: string };
    await page.goto("/favicon.svg");
    const frames = await page.evaluate((markup) => {
      const parsed = new DOMParser().parseFromString(markup, "text/html");
      return [...parsed.body.querySelectorAll("*")].map(
        (one) => `${one.tagName} ${[...one.attributes].some(({ name }) => name.startsWith("on"))}`,
      );
    }, html);
    expect(frames).toEqual(["IFRAME false"]);
    await close();
  });

  test("is refused in the addresses of pictures", async () => {
    const { creator, id } = await makeAsset(sql, { slug: "hostile-pictures" });
    for (const url of [
      "javascript:alert(1)",
      'https://a.example/"onerror="alert(1)',
      "data:text/html,<script>alert(1)</script>",
      "//a.example/x'",
    ]) {
      const taken = await Promise.allSettled([
        sql`update hub_assets set thumbnail_url = ${url} where id = ${id}`,
        sql`update hub_profiles set avatar_url = ${url} where user_id = ${creator}`,
      ]);
      expect(
        taken.map(({ status }) => status),
        url,
      ).toEqual(["rejected", "rejected"]);
    }
  });

  test("where a page repeats what was asked", async () => {
    const { slug } = await makeAsset(sql, { slug: "asked-for" });
    const q = encodeURIComponent(HOSTILE);
    const { page, complaints, close } = await visit("/favicon.svg");
    page.on("dialog", () => complaints.push("a dialog"));
    for (const path of [
      `/hub?q=${q}&tag=${q}&creator=${q}&license=${q}&sort=${q}`,
      `/hub/components?q=${q}&category=${q}`,
      `/hub/templates/${slug}?version=${q}`,
    ]) {
      await page.goto(path);
      expect(await harm(page), path).toBe(0);
    }
    expect(complaints.filter((one) => !/Failed to load resource/.test(one))).toEqual([]);
    await close();
    for (const path of [`/hub?q=${q}`, `/hub/creators/${q}`, `/hub/${q}`]) {
      const html = await (await get(path, { headers: { accept: "text/html" } })).text();
      expect(html, path).toContain("</html>");
      for (const part of ["<img src=x", "alert(2)</script>"]) expect(html, path).not.toContain(part);
    }
  });
});

describe("for programs", () => {
  test("JSON is open to every origin, costs a 304 when nothing changed, and shows no ids of people", async () => {
    const response = await get("/api/hub/protokoll-fuer-dailies");
    const body = await response.json();
    expect(body).toMatchObject({
      slug: "protokoll-fuer-dailies",
      version: 1,
      creator: { username: "lena-vogt" },
    });
    expect(JSON.stringify(body)).not.toMatch(/creator_id|ref_id|lineage/);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    const etag = response.headers.get("etag") ?? "";
    expect(
      (await get("/api/hub/protokoll-fuer-dailies", { headers: { "if-none-match": etag } })).status,
    ).toBe(304);
    await sql`update hub_assets set title = 'Protokoll' where slug = 'protokoll-fuer-dailies'`;
    expect(
      (await get("/api/hub/protokoll-fuer-dailies", { headers: { "if-none-match": etag } })).status,
    ).toBe(200);
    expect(await (await get(body.links.json.replace(stack.url, ""))).json()).toMatchObject({
      title: "Protokoll",
    });
  });

  test("Markdown has the content in a fence that the content cannot close", async () => {
    await makeAsset(sql, { slug: "with-fences", payload: { content: "````\nnot the end\n````" } });
    const text = await (await get("/hub/templates/with-fences.md")).text();
    expect(text).toContain("`````\n````\nnot the end\n````\n`````");
  });

  test("a page tells a preview of a link what it is", async () => {
    const html = await (await get("/hub/templates/clear-meeting-minutes")).text();
    expect(html).toContain(
      '<meta property="og:title" content="Clear meeting minutes by @ada-lindqvist · Keyhub"/>',
    );
    expect(html).toContain(`<link rel="canonical" href="${stack.url}/hub/templates/clear-meeting-minutes"/>`);
    const image = /property="og:image" content="([^"]+)"/.exec(html)?.[1] ?? "";
    const picture = await fetch(image);
    expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/png"]);
    const oembed = /type="application\/json\+oembed" href="([^"]+)"/.exec(html)?.[1] ?? "";
    expect(await (await get(oembed.replaceAll("&amp;", "&"))).json()).toMatchObject({
      type: "rich",
      title: "Clear meeting minutes",
      author_name: "ada-lindqvist",
    });
  });

  test("the sitemap and the feed name every listing of the demo", async () => {
    const listed = await sql<{ slug: string }[]>`select slug from hub_listings`;
    const sitemap = await (await get("/hub/sitemap.xml")).text();
    for (const { slug } of listed) expect(sitemap).toContain(`/${slug}</loc>`);
    expect(await (await get("/hub/feed.xml")).text()).toContain("<entry>");
  });

  test("a creator and a tag have a feed; a name that was given up leads to its owner", async () => {
    const entries = async (address: string) => {
      const text = await (await get(address)).text();
      return [...text.matchAll(/<name>([^<]+)<\/name>/g)].map((match) => match[1]);
    };
    expect(new Set(await entries("/hub/feed.xml?creator=ada-lindqvist"))).toEqual(new Set(["ada-lindqvist"]));
    const [tagged] = await sql`select tags[1] as tag from hub_listings where cardinality(tags) > 0 limit 1`;
    const [{ n } = { n: 0 }] = await sql`
      select count(*)::int as n from hub_listings where ${tagged?.tag} = any (tags)`;
    const list = `/hub?tag=${encodeURIComponent(tagged?.tag)}`;
    const feed = list.replace("/hub?", "/hub/feed.xml?");
    expect(await entries(feed)).toHaveLength(n);
    expect(await (await get(list)).text()).toContain(`type="application/atom+xml" href="${feed}"`);
    expect((await get("/hub/feed.xml?creator=nobody-at-all")).status).toBe(404);
    const { creator } = await makeAsset(sql, { slug: "of-a-renamed", title: "Of a renamed creator" });
    for (const username of ["renamed-one", "renamed-two"])
      await sql`update hub_profiles set username = ${username} where user_id = ${creator}`;
    const leads = async (address: string) => {
      const { status, headers } = await fetch(`${stack.url}${address}`, { redirect: "manual" });
      return [status, headers.get("location")];
    };
    expect(await leads("/hub/creators/renamed-one")).toEqual([301, "/hub/creators/renamed-two"]);
    expect(await leads("/hub/feed.xml?creator=renamed-one")).toEqual([
      301,
      "/hub/feed.xml?creator=renamed-two",
    ]);
    await sql`delete from hub_assets where creator_id = ${creator}`;
  });

  test("llms.txt names the hub", async () => {
    expect(await (await get("/llms.txt")).text()).toContain("# Keyhub");
  });
});

test("the contact that operators set stands at the foot of a page, and is read once a minute", async () => {
  const { createSite } = await import(join(await builtSite(), "server", "server.js"));
  const read: string[] = [];
  const site = createSite({
    supabaseUrl: stack.env.SUPABASE_URL,
    publishableKey: stack.env.SUPABASE_PUBLISHABLE_KEY,
    fetch: (input: string | URL | Request, init?: RequestInit) => {
      read.push(String(input instanceof Request ? input.url : input));
      return fetch(input, init);
    },
  });
  const page = async () => (await site(new Request("http://127.0.0.1/hub/components"))).text();
  await sql`update hub_settings set contact_url = 'mailto:rights@example.test'`;
  expect(await page()).toContain('<a href="mailto:rights@example.test">Tell us</a>');
  await page();
  expect(read.filter((address) => address.includes("hub_settings"))).toHaveLength(1);
  await sql`update hub_settings set contact_url = null`;
});

test("when the API does not answer, the page says so with a request id", async () => {
  const { createSite } = await import(join(await builtSite(), "server", "server.js"));
  const failed: string[] = [];
  const site = createSite({
    supabaseUrl: "http://127.0.0.1:9",
    publishableKey: "sb_publishable_x",
    onError: (_error: unknown, requestId: string) => failed.push(requestId),
  });
  const response: Response = await site(new Request("http://127.0.0.1/hub"));
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "30"]);
  expect(await response.text()).toContain(`Request ${failed[0]}`);
});
