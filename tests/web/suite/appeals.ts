import postgres from "postgres";
import { expect, test } from "vitest";
import { makeAsset } from "../../support/hub.ts";
import { stack, violations } from "../fixture.ts";
import { finish, member, signedIn } from "../people.ts";

test("a creator whose listing is hidden reads why, appeals, and has it back with an answer", async () => {
  const creator = await member("/favicon.svg");
  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => {} });
  const title = "Minutes that were hidden";
  const { id, slug } = await makeAsset(sql, { creator: creator.id, title, slug: "minutes-hidden" });
  await sql`select hub_hide_asset(${id}, 'For the log.', 'It copies a book.')`;
  await sql.end();

  await creator.page.goto("/workspace/listings");
  const decision = creator.page.getByRole("article", { name: `“${title}” was hidden` });
  await decision.getByText("It copies a book.").waitFor();
  expect(await decision.textContent()).not.toContain("For the log.");
  expect(await violations(creator.page, [], "main")).toEqual([]);
  await decision.getByRole("textbox", { name: /^Your appeal/ }).fill("The book is mine.");
  await decision.getByRole("button", { name: "Appeal" }).click();
  await decision.getByText("Not answered yet").waitFor();

  const { KEYHUB_ADMIN_EMAIL = "", KEYHUB_DEMO_PASSWORD = "" } = stack.env;
  const admin = await signedIn(KEYHUB_ADMIN_EMAIL, KEYHUB_DEMO_PASSWORD, "/admin");
  const appeal = admin.page.getByRole("article", { name: `Appeal: “${title}”` });
  await appeal.getByText("The book is mine.").waitFor();
  expect(await violations(admin.page, [], 'article[aria-label^="Appeal:"]')).toEqual([]);
  await appeal.getByRole("textbox").fill("So it is.");
  await appeal.getByRole("button", { name: "Accept" }).click();
  await appeal.waitFor({ state: "detached" });
  expect((await fetch(`${stack.url}/hub/templates/${slug}`)).status).toBe(200);

  await creator.page.reload();
  await creator.page.getByText("Earlier decisions").click();
  await decision.getByText("So it is.").waitFor();
  await finish(admin);
  await finish(creator);
});

test("a banned member is told so on every page of the workspace, and finds why", async () => {
  const banned = await member("/favicon.svg");
  const { page, id } = banned;
  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => {} });
  await sql`select hub_ban_creator(${id}, 'For the log.', 'Three copies of one book.')`;
  await sql.end();
  await page.goto("/workspace");
  await page.getByText("Your account is banned: you can read and export").waitFor();
  expect(await violations(page, [], "main .note")).toEqual([]);
  await page.getByRole("link", { name: "Why, and how to appeal" }).click();
  await page
    .getByRole("article", { name: "Your account was banned" })
    .getByText("Three copies of one book.")
    .waitFor();
  await finish(banned);
});
