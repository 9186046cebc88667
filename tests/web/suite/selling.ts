import postgres from "postgres";
import { expect, test } from "vitest";
import { addSource } from "../../support/hub.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { stack, violations, visit } from "../fixture.ts";
import { finish, member, signedIn } from "../people.ts";

test("from price to revenue: a creator sets up an account and sells, a buyer pays and reads, an admin refunds", async () => {
  const creator = await member("/workspace/revenue");
  const { page } = creator;
  await page.getByText("To sell, set up an account").waitFor();
  if (LONG_TESTS) expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Set up the account" }).click();
  await page.getByRole("button", { name: "Take payments" }).click();
  await page.getByText("Your account takes payments").waitFor();

  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => {} });
  const item = await addSource(sql, creator.id);
  await sql`
    update prompt_templates set name = 'Letters that sell', content = 'The secret of a good letter is its first line.'
    where id = ${item}`;
  await page.goto(`/workspace/template/${item}`);
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByLabel(/^Description/).fill("Letters for shops.");
  await page.getByRole("radio", { name: /^Paid/ }).check();
  await page.getByLabel(/^Price/).fill("12.50");
  await page.getByLabel(/^A look inside/).fill("Ten letters, tried in three shops.");
  expect(await violations(page, [], "dialog[open]")).toEqual([]);
  await page.getByRole("button", { name: "Look at what will be public" }).click();
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  const path = await page.getByRole("link", { name: "See it on the hub" }).getAttribute("href");

  expect(await (await fetch(`${stack.url}${path}`)).text()).toContain("Ten letters, tried in three shops.");
  for (const ending of [
    "",
    ".json",
    ".md",
    ".svg",
    "/file?as=prompts-csv",
    "/versions",
    "/versions?from=1&to=1",
  ]) {
    const answer = await fetch(`${stack.url}${path}${ending}`);
    expect(await answer.text(), ending).not.toContain("first line");
  }
  if (LONG_TESTS) {
    const guest = await visit(path ?? "");
    expect(await violations(guest.page)).toEqual([]);
    await finish(guest);
  }
  const buyer = await member("/hub/templates?q=letters+that+sell");
  const card = buyer.page.locator(".card", { hasText: "Letters that sell" });
  expect(await card.textContent()).toContain("$12.50");
  await card.getByRole("link", { name: "Buy: Letters that sell" }).click();
  await buyer.page.getByRole("button", { name: "Pay $12.50" }).click();
  await buyer.page.getByText("Thank you. You have bought").waitFor();
  if (LONG_TESTS) expect(await violations(buyer.page)).toEqual([]);
  await buyer.page.getByRole("link", { name: "Open it" }).click();
  await buyer.page.getByText("first line").first().waitFor();
  await buyer.page.getByRole("link", { name: "Use this" }).click();
  await buyer.page.getByText("In your workspace").waitFor();
  await finish(buyer);

  const { KEYHUB_ADMIN_EMAIL = "", KEYHUB_DEMO_PASSWORD = "" } = stack.env;
  const admin = await signedIn(KEYHUB_ADMIN_EMAIL, KEYHUB_DEMO_PASSWORD, "/admin");
  const order = admin.page.locator(".order", { hasText: "Letters that sell" });
  await order.locator("summary").click();
  await order.getByLabel(/^Amount/).fill("2.50");
  await order.getByLabel(/^Reason/).fill("One letter was missing.");
  expect(await violations(admin.page, [], ".order[open]")).toEqual([]);
  await order.getByRole("button", { name: "Refund" }).click();
  await order.getByText("$2.50 refunded").waitFor();
  await finish(admin);
  await page.goto("/workspace/revenue");
  await page.getByRole("figure").getByText("$7.00 net").waitFor();
  expect(await page.locator(".revenue-table tbody").textContent()).toContain("Letters that sell");
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download as CSV" }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^revenue-.*\.csv$/);
  expect(await violations(page, [], "main")).toEqual([]);
  await finish(creator);

  expect(await sql`select * from hub_reconcile()`).toEqual([]);
  await sql.end();
});
