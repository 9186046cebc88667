import type { Page } from "playwright-core";
import postgres from "postgres";
import { expect, test } from "vitest";
import { makeAsset } from "../../support/hub.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { COLOUR_RULES, stack, violations, visit } from "../fixture.ts";

/** Pages that are tried in both themes: cards, a graph, a text and code have all colours. */
const BOTH_THEMES = [
  "/hub/creators/ada-lindqvist",
  "/hub/orchestrations/research-brief-in-three-steps",
  "/hub/templates/protokoll-fuer-dailies",
  "/hub/components/json-tree",
];
const PAGES = [
  ...BOTH_THEMES,
  "/hub",
  "/hub/components?q=json+tree",
  "/hub/ai-presets/strict-json",
  "/hub/creators",
  "/hub/embed/json-tree",
  "/nope",
  // These have the parts of the pages above.
  ...(LONG_TESTS ? ["/hub/templates", "/hub?q=meeting", "/hub/templates/there-is-no-such-template"] : []),
];

/** Returns the elements that move, or that will move when something changes. */
const moving = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("*")]
      .filter((one) => {
        const { transitionDuration, animationName, animationDuration } = getComputedStyle(one);
        const long = (times: string) => times.split(",").some((time) => Number.parseFloat(time) > 0.01);
        return long(transitionDuration) || (animationName !== "none" && long(animationDuration));
      })
      .map((one) => one.outerHTML.slice(0, 80)),
  );

test("every page is accessible in both themes, moves nothing for who asked for it, and its policy refuses nothing of its own", async () => {
  const { page, complaints, close } = await visit("/favicon.svg");
  for (const path of PAGES) {
    // The themes differ only in colours. Motion is off, so that no colour is tested during a transition.
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    await page.goto(path);
    expect(await moving(page), path).toEqual([]);
    expect(await violations(page), `${path} light`).toEqual([]);
    if (LONG_TESTS || BOTH_THEMES.includes(path)) {
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await violations(page, COLOUR_RULES), `${path} dark`).toEqual([]);
    }
    expect(
      complaints.filter((one) => !one.includes("404 (Not Found)")),
      path,
    ).toEqual([]);
  }
  await close();
});

test("a guest searches, narrows, opens a listing, fills the template in, and goes back to the list", async () => {
  const { page, complaints, close } = await visit("/hub/components/json-tree");
  await page.getByRole("combobox", { name: "Search the hub" }).first().fill("meetng minuts");
  await page.keyboard.press("Enter");
  await page.waitForURL(/q=meetng/);
  await page.getByLabel("Order").selectOption("most_starred");
  await page.waitForURL(/sort=most_starred/);
  const list = page.url();
  const shown = await page.locator(".card").count();
  await page.getByText(shown === 1 ? "1 listing" : `${shown} listings`, { exact: true }).waitFor();
  await page.getByRole("link", { name: "Clear meeting minutes", exact: true }).click();
  await page.waitForURL(/\/hub\/templates\/clear-meeting-minutes$/);
  await page.getByLabel("transcript").fill("Ana: it works.");
  expect(await page.locator("mark.filled").textContent()).toBe("Ana: it works.");
  await page.goBack();
  expect(page.url()).toBe(list);
  expect(complaints).toEqual([]);
  await close();
});

test("a component runs in the preview on a click, with props that can be edited", async () => {
  const { page, complaints, close } = await visit("/hub/components/json-tree");
  expect(await page.locator("iframe").count()).toBe(0);
  await page.getByRole("button", { name: "Run preview" }).click();
  const frame = page.frameLocator("iframe");
  await frame.locator("pre").waitFor();
  await page.getByLabel("value (JSON)").fill('{"answer": 42}');
  await frame.getByText('"answer": 42').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test("each prop is edited as its schema says; what fits no field, and a field that says too much, stay text", async () => {
  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => {} });
  const hostile = "<img src=x onerror=alert(1)>";
  await makeAsset(sql, {
    ...{ type: "component", slug: "props-echo", title: "Props echo" },
    payload: {
      name: "Props echo",
      source: "export default (props) => <output>{JSON.stringify(props)}</output>;",
      props_schema: {
        properties: {
          label: { type: "string", title: hostile, description: hostile, default: "Hello" },
          size: { type: "integer", default: 3 },
          wide: { type: "boolean", default: true },
          tone: { enum: ["calm", "loud", 7] },
          rows: { type: "array", items: { type: "number" } },
        },
      },
    },
  }).finally(() => sql.end());
  const { page, complaints, close } = await visit("/hub/components/props-echo");
  await page.getByRole("button", { name: "Run preview" }).click();
  const echo = page.frameLocator("iframe").locator("output");
  const shows = (props: object) => echo.getByText(JSON.stringify(props), { exact: true }).waitFor();
  await shows({ rows: [42], size: 3, tone: "calm", wide: true, label: "Hello" });
  await page.getByLabel(hostile).fill("Good day");
  await page.getByLabel("wide").uncheck();
  await page.getByLabel("tone").selectOption("7");
  await page.getByLabel("rows (JSON)").fill("[1, 2]");
  // The value is not a whole number, so the field is marked as invalid, and the component keeps the earlier value.
  await page.getByLabel("size").fill("1.5");
  expect(await page.getByLabel("size").getAttribute("aria-invalid")).toBe("true");
  await shows({ rows: [1, 2], size: 3, tone: 7, wide: false, label: "Good day" });
  await page.getByLabel("size").fill("12");
  await shows({ rows: [1, 2], size: 12, tone: 7, wide: false, label: "Good day" });
  expect(await violations(page, [], "[data-preview-place]")).toEqual([]);
  expect(await page.locator("main img[src=x]").count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

test("without JavaScript the hub can be searched, filtered, paged and read", async () => {
  const { page, close } = await visit("/hub/templates?q=postgres", { javaScriptEnabled: false });
  await page.getByLabel("License").selectOption("cc0");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.waitForURL(/license=cc0/);
  await page.locator("article a.cover").first().click();
  expect(await page.locator("h1").textContent()).toBe("SQL from a question");
  expect(await page.locator("pre.prompt").textContent()).not.toBe("");
  await close();
});
