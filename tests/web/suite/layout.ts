import type { Page } from "playwright-core";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeAsset, makeUser } from "../../support/hub.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { stack, visit } from "../fixture.ts";

const TITLES = [
  "מחולל סיכומי פגישות לצוותים",
  "مولد ملخصات الاجتماعات",
  "会議の議事録を作成するテンプレート",
  "W".repeat(120),
  "x".repeat(60),
  ...Array.from({ length: 30 }, (_, i) => `A listing among many ${i}`),
];
/** Pages are loaded at the first width. */
const WIDTHS = [390, 320, 1280, ...(LONG_TESTS ? [768] : [])];
const PAGES = [
  "/hub",
  "/hub?creator=layout-author",
  "/hub?q=nothing-is-called-so-at-all",
  "/hub/creators",
  "/hub/templates/layout-3",
  "/hub/embed/layout-3",
  "/hub/components/json-tree",
  "/hub/orchestrations/research-brief-in-three-steps",
  "/hub/ai-presets/strict-json",
  // These have the parts of the pages above.
  ...(LONG_TESTS ? ["/hub/templates", "/hub/creators/layout-author", "/hub/templates/layout-0"] : []),
];

interface Moved {
  sum: number;
  what: string[];
}

/** A type that the types of the DOM lack. */
interface Shift {
  value: number;
  hadRecentInput: boolean;
  sources: { node: Element | null }[];
}

let sql: postgres.Sql;
beforeAll(async () => {
  sql = postgres(stack.databaseUrl, { max: 2, onnotice: () => {} });
  const creator = await makeUser(sql);
  await sql`update hub_profiles set username = 'layout-author', display_name = ${"N".repeat(60)} where user_id = ${creator}`;
  for (const [i, title] of TITLES.entries()) {
    const tags = Array.from({ length: 20 }, (_, tag) => `a-rather-long-tag-${tag}`);
    const payload = { content: `${"y".repeat(400)} {{${"name".repeat(12)}}}` };
    await makeAsset(sql, {
      creator,
      slug: `layout-${i}`,
      title,
      tags,
      description: "z".repeat(400),
      payload,
    });
  }
});
afterAll(() => sql?.end());

test("no page scrolls sideways at any width, and nothing moves while it loads", async () => {
  const { page, close } = await visit("/favicon.svg");
  await page.addInitScript(() => {
    const moved = { sum: 0, what: [] as string[] };
    Object.assign(globalThis, { moved });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as Shift[]) {
        // A resize of the window moves everything. The browser marks such an entry with `hadRecentInput`.
        if (entry.hadRecentInput) continue;
        moved.sum += entry.value;
        moved.what.push(...entry.sources.map(({ node }) => `${node?.nodeName}.${node?.className}`));
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  const wrong: string[] = [];
  for (const path of PAGES) {
    await page.setViewportSize({ width: WIDTHS[0] ?? 0, height: 800 });
    const response = await page.goto(`${stack.url}${path}`, { waitUntil: "load" });
    expect(response?.status(), path).toBe(200);
    const { sum, what } = await page.evaluate(() => (globalThis as unknown as { moved: Moved }).moved);
    if (sum >= 0.02) wrong.push(`${path} moves by ${sum}: ${what}`);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      const { needs, widest } = await page.evaluate(() => {
        const needs = document.documentElement.scrollWidth;
        if (needs <= innerWidth) return { needs, widest: [] };
        const beyond = [...document.body.querySelectorAll("*")].filter(
          (one) => one.getBoundingClientRect().right > innerWidth + 1,
        );
        const widest = beyond.slice(0, 3).map((one) => `${one.tagName}.${one.className}`);
        return { needs, widest };
      });
      if (needs > width) wrong.push(`${path} at ${width} needs ${needs}: ${widest}`);
    }
  }
  expect(wrong).toEqual([]);
  await close();
});

test("on a phone the header is at most 120 pixels high, also while somebody searches", async () => {
  const { page, close } = await visit("/hub/components/json-tree", { viewport: { width: 320, height: 700 } });
  const height = async () => (await page.locator("header.top").boundingBox())?.height ?? 999;
  for (const width of [320, 390]) {
    await page.setViewportSize({ width, height: 700 });
    expect(await height(), `${width}`).toBeLessThanOrEqual(120);
  }
  const search = page.locator(".top").getByRole("combobox");
  await search.focus();
  expect(await height()).toBeLessThanOrEqual(120);
  expect((await search.boundingBox())?.width).toBeGreaterThan(250);
  await close();
});

interface Box {
  of: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Returns the boxes in which a capture has only one colour. */
async function emptyIn(page: Page, capture: Buffer, boxes: Box[]): Promise<string[]> {
  await page.goto("about:blank");
  const data = capture.toString("base64");
  return page.evaluate(
    async ([data, boxes]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const drawn = new OffscreenCanvas(image.width, image.height).getContext("2d", {
        willReadFrequently: true,
      });
      drawn?.drawImage(image, 0, 0);
      return boxes
        .filter(({ x, y, width, height }) => {
          const pixels = new Uint32Array(drawn?.getImageData(x, y, width, height).data.buffer ?? []);
          return pixels.every((one) => one === pixels[0]);
        })
        .map(({ of }) => of);
    },
    [data, boxes] as const,
  );
}

test("a capture of a whole page has every card with its drawing, though nobody has scrolled", async () => {
  const lists = [
    ["/hub?sort=newest", { width: 1280, height: 860 }],
    ["/hub", { width: 390, height: 844 }],
  ] as const;
  for (const [path, viewport] of LONG_TESTS ? lists : lists.slice(0, 1)) {
    const { page, close } = await visit(path, { viewport });
    const boxes: Box[] = await page.locator(".card").evaluateAll((cards) =>
      cards.flatMap((card) => {
        // The page does not wait for pictures that owners have uploaded.
        const parts = card.querySelector("img[loading=lazy]") ? [".card-body"] : [".picture", ".card-body"];
        return parts.map((part) => {
          const { x, y, width, height } = (card.querySelector(part) as Element).getBoundingClientRect();
          const of = `${part} of ${(card as HTMLElement).dataset.slug}`;
          // Leave out the border and the round corners.
          return { of, x: x + 8, y: y + 8, width: width - 16, height: height - 16 };
        });
      }),
    );
    // Leave out boxes beyond the right edge, where a capture ends: on a phone, rows of the landing page continue there.
    const inSight = boxes.filter(({ x, width }) => x + width <= viewport.width);
    expect(inSight.length, path).toBeGreaterThanOrEqual(20);
    const capture = await page.screenshot({ fullPage: true });
    expect(await emptyIn(page, capture, inSight), `${path} at ${viewport.width}`).toEqual([]);
    await close();
  }
});

test("an embed card shows two lines of a long title, the creator's name as far as it fits, and always its foot", async () => {
  const creator = await makeUser(sql);
  await sql`update hub_profiles set username = ${"W".repeat(30)} where user_id = ${creator}`;
  const titles = [
    "A title that says a little more than it has to ".repeat(3).slice(0, 120),
    "W".repeat(120),
    "会議の議事録を作成するテンプレート".repeat(8).slice(0, 120),
    "مولد ملخصات الاجتماعات للفرق ".repeat(5).slice(0, 120).trim(),
  ];
  const { page, close } = await visit("/favicon.svg", { viewport: { width: 420, height: 180 } });
  for (const [i, title] of titles.entries()) {
    await makeAsset(sql, { creator, slug: `embed-${i}`, title, description: `${title} ${"z".repeat(400)}` });
    await page.goto(`/hub/embed/embed-${i}`);
    const shown = await page.evaluate(() => {
      const one = (selector: string) => document.querySelector(selector) as HTMLElement;
      const [title, text, name, foot] = [
        one(".card-title"),
        one(".card-description"),
        one(".creator-name") ?? one(".creator"),
        one(".card-foot"),
      ];
      const lines = (box: HTMLElement) =>
        Math.round(box.clientHeight / Number.parseFloat(getComputedStyle(box).lineHeight));
      const isCut = (box: HTMLElement) =>
        box.scrollHeight > box.clientHeight && getComputedStyle(box).webkitLineClamp === "2";
      const { overflow, textOverflow, display } = getComputedStyle(name);
      const root = document.documentElement;
      return {
        lines: [lines(title), lines(text)],
        areCut: [isCut(title), isCut(text)],
        apart: text.getBoundingClientRect().bottom <= foot.getBoundingClientRect().top,
        isNameCut: name.scrollWidth > name.clientWidth,
        // A flex box shows no ellipsis, so the test also checks `display`.
        name: [overflow, textOverflow, display],
        footIn: foot.getBoundingClientRect().bottom < 180,
        scrolls: root.scrollHeight > 180 || root.scrollWidth > 420,
      };
    });
    expect(shown, title).toEqual({
      ...{ lines: [2, 2], areCut: [true, true], apart: true, footIn: true, scrolls: false },
      ...{ isNameCut: true, name: ["hidden", "ellipsis", "block"] },
    });
  }
  await close();
});

test("whose work it is stands below the title, beside the picture; on a phone every section is in sight", async () => {
  const { page, close } = await visit("/hub/templates/protokoll-fuer-dailies", {
    viewport: { width: 1280, height: 800 },
  });
  const box = async (selector: string) => {
    const found = await page.locator(selector).first().boundingBox();
    return found ?? { x: 0, y: 0, width: 0, height: 0 };
  };
  const [by, credit, counts, poster] = [
    await box(".by"),
    await box(".attribution"),
    await box(".asset-counts"),
    await box(".asset-poster"),
  ];
  expect(credit.x + credit.width).toBeLessThan(poster.x);
  expect([by.y < credit.y, credit.y < counts.y]).toEqual([true, true]);
  for (const width of [320, 390]) {
    await page.setViewportSize({ width, height: 800 });
    const beyond = await page
      .getByRole("navigation", { name: "Types of assets" })
      .getByRole("link")
      .evaluateAll((links) =>
        links.filter((one) => one.getBoundingClientRect().right > innerWidth).map((one) => one.textContent),
      );
    expect(beyond, String(width)).toEqual([]);
  }
  await close();
});

test("every link, button and field is reached with Tab, and shows that it is", async () => {
  const { page, close } = await visit("/favicon.svg");
  for (const path of [LONG_TESTS ? "/hub" : "/hub/components?q=json+tree", "/hub/components/json-tree"]) {
    await page.goto(path);
    const all = await page.evaluate(() => {
      const found = [
        ...document.querySelectorAll<HTMLElement>("a[href], button, input, select, textarea, summary"),
      ];
      const usable = found.filter(
        (one) =>
          one.checkVisibility({ visibilityProperty: true }) &&
          one.tabIndex >= 0 &&
          !(one as HTMLButtonElement).disabled,
      );
      const missing = new Set(usable);
      const unseen: string[] = [];
      addEventListener("focusin", ({ target }) => {
        const one = target as HTMLElement;
        if (!missing.delete(one)) return;
        // A field may show the focus on the box around the field.
        const boxes = [one, one.parentElement as HTMLElement].map((box) => getComputedStyle(box));
        const isSeen = boxes.some(
          ({ outlineStyle, boxShadow }) => outlineStyle !== "none" || boxShadow !== "none",
        );
        if (!isSeen) unseen.push(one.outerHTML.slice(0, 80));
      });
      Object.assign(globalThis, { missing, unseen });
      return usable.length;
    });
    expect(all, path).toBeGreaterThan(10);
    for (let presses = 0; presses < all + 10; presses++) await page.keyboard.press("Tab");
    const { missing, unseen } = await page.evaluate(() => {
      const { missing, unseen } = globalThis as unknown as { missing: Set<Element>; unseen: string[] };
      return { missing: [...missing].map((one) => one.outerHTML.slice(0, 80)), unseen };
    });
    expect(unseen, path).toEqual([]);
    expect(missing, path).toEqual([]);
  }
  await close();
});
