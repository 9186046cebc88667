import { expect, test } from "vitest";
import { stack, violations, visit } from "../fixture.ts";
import { finish, member } from "../people.ts";

const TITLE = "JSON tree";
const PATH = "/hub/components/json-tree";
/** A short list, because each card asks for its picture. */
const LIST = "/hub/components?q=json+tree";

test("a guest looks at a listing, takes it, copies its link, all from its card and by keyboard", async () => {
  const guest = await visit(LIST, { permissions: ["clipboard-read", "clipboard-write"] });
  const { page } = guest;
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole("link", { name: `Preview: ${TITLE}` }).focus();
  await page.keyboard.press("Enter");
  const look = page.getByRole("dialog", { name: TITLE });
  await look.getByRole("button", { name: "Run preview" }).waitFor();
  expect(await violations(page, [], "dialog[open]")).toEqual([]);
  await page.keyboard.press("Escape");
  expect(await look.count()).toBe(0);

  const more = page.getByRole("button", { name: `More for ${TITLE}` });
  await more.focus();
  await page.keyboard.press("Enter");
  const card = page.locator(".card", { has: page.getByRole("link", { name: TITLE, exact: true }) });
  await card.getByRole("link", { name: "Embed" }).waitFor();
  expect(await violations(page, [], `.card[data-slug="json-tree"]`)).toEqual([]);
  await page.keyboard.press("Escape");
  expect(await card.getByRole("link", { name: "Embed" }).count()).toBe(0);
  await more.click();
  await card.getByRole("link", { name: "Copy link" }).click();
  await page.getByText("The link is copied.").waitFor();
  expect(await clipboard()).toBe(`${stack.url}${PATH}`);
  await more.click();
  await card.getByRole("link", { name: "Embed" }).click();
  await page.getByText("The code to embed it is copied.").waitFor();
  expect(await clipboard()).toContain(`src="${stack.url}/hub/embed/json-tree"`);

  await page.getByRole("link", { name: `Use this: ${TITLE}` }).click();
  await page.locator("#messages").getByRole("link", { name: "Open" }).click();
  await page.waitForURL(/\/workspace\/component\//);
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe(TITLE);
  await page.goto(LIST);
  await more.click();
  await card.getByRole("link", { name: "Star" }).click();
  await page.waitForURL((url) => url.pathname === "/login" && url.searchParams.get("returnTo") === PATH);
  await finish(guest);
});

test("a card's actions are links, and its menu opens, without JavaScript", async () => {
  const guest = await visit(LIST, { javaScriptEnabled: false });
  const { page } = guest;
  const card = page.locator(".card", { has: page.getByRole("link", { name: TITLE, exact: true }) });
  await page.getByRole("button", { name: `More for ${TITLE}` }).click();
  expect(await card.getByRole("link", { name: "Embed" }).getAttribute("href")).toBe(`${PATH}#take`);
  await card.getByRole("link", { name: "Remix" }).click();
  await page.waitForURL((url) => url.pathname === "/login" && url.searchParams.get("returnTo") === PATH);
  await page.goBack();
  await page.getByRole("link", { name: `Preview: ${TITLE}` }).click();
  await page.waitForURL(`**${PATH}#content`);
  await guest.close();
});

test("a member stars and reports a listing on its card; on its own page the cards of its remixes act for themselves", async () => {
  const visitor = await member(LIST);
  const { page } = visitor;
  const card = page.locator(".card", { has: page.getByRole("link", { name: TITLE, exact: true }) });
  await card.locator('[data-action="star"][role="button"]').waitFor({ state: "attached" });
  const stars = async () => Number(await card.locator("[data-stars]").textContent());
  const before = await stars();
  const more = page.getByRole("button", { name: `More for ${TITLE}` });
  const kept = page.waitForResponse(
    (answer) => answer.url().includes("/rest/v1/hub_stars") && answer.request().method() === "POST",
  );
  await more.click();
  await card.getByRole("button", { name: "Star" }).click();
  await kept;
  expect(await stars()).toBe(before + 1);
  await page.reload();
  await card.locator('[data-action="star"][aria-pressed="true"]').waitFor({ state: "attached" });
  await more.click();
  await card.getByRole("link", { name: "Report" }).click();
  const dialog = page.getByRole("dialog", { name: "Report this listing" });
  await dialog.getByLabel("Reason").selectOption("spam");
  const reported = page.waitForRequest((request) => request.url().includes("/rest/v1/hub_reports"));
  await dialog.getByRole("button", { name: "Report" }).click();
  expect((await reported).postDataJSON().asset_id).toBe(await card.getAttribute("data-asset"));
  await page.getByText("An admin will look at it.").waitFor();
  await page.goto("/hub/templates/clear-meeting-minutes");
  const remix = page.locator(".card").first();
  await remix.locator('[data-action="star"][role="button"]').waitFor({ state: "attached" });
  await remix.getByRole("button", { name: /^More for / }).click();
  const starred = page.waitForRequest((request) => request.url().includes("/rest/v1/hub_stars"));
  await remix.getByRole("button", { name: "Star" }).click();
  expect((await starred).postDataJSON().asset_id).toBe(await remix.getAttribute("data-asset"));
  expect(await page.locator('.asset-head [data-action="star"]').getAttribute("aria-pressed")).toBe("false");
  await finish(visitor);
});
