import postgres from "postgres";
import { expect, test } from "vitest";
import { makeAsset } from "../../support/hub.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { stack, violations, visit } from "../fixture.ts";
import { finish, member } from "../people.ts";

test("a guest finds a creator by a part of the name, in the search and in the directory, and their feed", async () => {
  const guest = await visit("/hub?q=lindqv");
  const { page } = guest;
  await page.getByRole("heading", { name: "Creators", exact: true }).waitFor();
  await page.locator(".creator-card a").click();
  await page.waitForURL(/\/hub\/creators\/ada-lindqvist$/);
  const feed = await page.getByRole("link", { name: "Feed" }).first().getAttribute("href");
  expect(await (await fetch(`${stack.url}${feed}`)).text()).toContain("<feed");
  await page
    .getByRole("navigation", { name: "Types of assets" })
    .getByRole("link", { name: "Creators" })
    .click();
  await page.waitForURL(/\/hub\/creators$/);
  expect(await page.locator(".creator-card").count()).toBeGreaterThan(4);
  await page.getByRole("link", { name: "Newest" }).click();
  await page.waitForURL(/sort=newest/);
  await page.getByRole("searchbox", { name: "Search for a creator" }).fill("nobody-is-called-so");
  await page.keyboard.press("Enter");
  await page.getByText("Nobody found").waitFor();
  expect(page.url()).toContain("sort=newest");
  if (LONG_TESTS) expect(await violations(page)).toEqual([]);
  await page.goto("/hub/creators/ada-lindqvist");
  await page.getByRole("link", { name: "Follow" }).click();
  await page.waitForURL(
    (url) => url.pathname === "/login" && url.searchParams.get("returnTo") === "/hub/creators/ada-lindqvist",
  );
  await finish(guest);
});

test("a member follows a creator, reads what is published next, and unfollows", async () => {
  const visitor = await member("/workspace/following");
  const { page } = visitor;
  await page.getByText("Nobody yet.").waitFor();
  await page.goto("/hub/creators/marco-ferri");
  const follow = page.locator('[data-action="follow"][role="button"]');
  await follow.click();
  await page.locator("#messages").getByRole("link", { name: "Following" }).waitFor();
  await page.reload();
  await page.locator('[data-action="follow"][aria-pressed="true"]').waitFor();
  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => {} });
  try {
    const [creator] = await sql`select user_id from hub_profiles where username = 'marco-ferri'`;
    await makeAsset(sql, {
      creator: creator?.user_id,
      slug: "fresh",
      title: "Fresh from Marco",
      payload: { content: "Fresh." },
    });
  } finally {
    await sql.end();
  }
  await page.locator("#messages").waitFor({ state: "attached" });
  await page.goto("/workspace/following");
  await page.getByRole("link", { name: "Fresh from Marco" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Unfollow marco-ferri" }).click();
  await page.getByText("Nobody yet.").waitFor();
  await finish(visitor);
});

test("titles, creators and tags are suggested while somebody types in the search field", async () => {
  const guest = await visit("/hub/components/json-tree");
  const { page } = guest;
  const suggested = () =>
    page
      .locator("#suggestions option")
      .evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value));
  const field = page.getByRole("combobox", { name: /search/i }).first();
  await field.pressSequentially("meeting");
  await expect.poll(suggested).toContain("Clear meeting minutes");
  await field.fill("summ");
  await expect.poll(suggested).toContain("summarization");
  await field.fill("marco");
  await expect.poll(suggested).toContain("marco-ferri");
  expect((await suggested()).length).toBeLessThanOrEqual(6);
  if (LONG_TESTS) expect(await violations(page)).toEqual([]);
  await finish(guest);
});
