import postgres from "postgres";
import { expect, test } from "vitest";
import { stack, violations, visit } from "../fixture.ts";
import { finish, member, signedIn, signUp } from "../people.ts";

test("from price to revenue: a creator sets up an account and sells, a buyer pays and reads, an admin refunds", async () => {
  const creator = await member("/workspace/revenue");
  const { page } = creator;
  await page.getByText("To sell, set up an account").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Set up the account" }).click();
  await page.getByRole("button", { name: "Take payments" }).click();
  await page.getByText("Your account takes payments").waitFor();

  await page.goto("/workspace");
  await page.getByRole("button", { name: "New template" }).click();
  await page.waitForURL(/\/workspace\/template\//);
  await page.getByLabel("Name", { exact: true }).fill("Letters that sell");
  await page.getByLabel(/^Prompt/).fill("The secret of a good letter is its first line.");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByLabel(/^Description/).fill("Letters for shops.");
  await page.getByRole("radio", { name: /^Paid/ }).check();
  await page.getByLabel(/^Price/).fill("12.50");
  await page.getByLabel(/^A look inside/).fill("Ten letters, tried in three shops.");
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Look at what will be public" }).click();
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  const path = await page.getByRole("link", { name: "See it on the hub" }).getAttribute("href");

  const buyer = await visit(path ?? "");
  await buyer.page.getByText("Ten letters, tried in three shops.").waitFor();
  expect(await buyer.page.content()).not.toContain("first line");
  expect(await violations(buyer.page)).toEqual([]);
  for (const ending of [
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
  await signUp(buyer.page);
  await buyer.page.goto("/hub/templates");
  const card = buyer.page.locator(".card", { hasText: "Letters that sell" });
  expect(await card.textContent()).toContain("$12.50");
  await card.getByRole("link", { name: "Buy: Letters that sell" }).click();
  await buyer.page.getByRole("button", { name: "Pay $12.50" }).click();
  await buyer.page.getByText("Thank you. You have bought").waitFor();
  expect(await violations(buyer.page)).toEqual([]);
  await buyer.page.getByRole("link", { name: "Open it" }).click();
  await buyer.page.getByText("first line").first().waitFor();
  await buyer.page.getByRole("link", { name: "Use this" }).click();
  await buyer.page.getByText("In your workspace").waitFor();
  await finish(buyer);

  await page.goto("/workspace/revenue");
  await page.getByRole("figure").getByText("$8.75 net").waitFor();
  expect(await page.locator(".revenue-table tbody").textContent()).toContain("Letters that sell");
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download as CSV" }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^revenue-.*\.csv$/);
  expect(await violations(page)).toEqual([]);

  const { KEYHUB_ADMIN_EMAIL = "", KEYHUB_DEMO_PASSWORD = "" } = stack.env;
  const admin = await signedIn(KEYHUB_ADMIN_EMAIL, KEYHUB_DEMO_PASSWORD, "/admin");
  const order = admin.page.locator(".order", { hasText: "Letters that sell" });
  await order.locator("summary").click();
  await order.getByLabel(/^Amount/).fill("2.50");
  await order.getByLabel(/^Reason/).fill("One letter was missing.");
  expect(await violations(admin.page)).toEqual([]);
  await order.getByRole("button", { name: "Refund" }).click();
  await order.getByText("$2.50 refunded").waitFor();
  await finish(admin);
  await page.reload();
  await page.getByRole("figure").getByText("$7.00 net").waitFor();
  await finish(creator);

  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => {} });
  expect(await sql`select * from hub_reconcile()`).toEqual([]);
  await sql.end();
});
