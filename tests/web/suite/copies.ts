import type { Page } from "playwright-core";
import postgres from "postgres";
import { expect, test } from "vitest";
import { stack, violations, visit } from "../fixture.ts";
import { finish, member } from "../people.ts";

const PATH = "/hub/components/citation-list";

const use = (page: Page) => page.getByRole("link", { name: "Use this", exact: true }).click();
const inMessages = (page: Page, text: string) => page.locator("#messages").getByText(text).waitFor();

async function copiesOf(page: Page): Promise<number> {
  await page.goto("/workspace");
  await page.getByText("None yet.").first().waitFor();
  return page.getByRole("link", { name: /^Citation list/ }).count();
}

test("a guest who uses a listing again is told of the copy", async () => {
  const guest = await visit(PATH);
  const { page } = guest;
  await use(page);
  await inMessages(page, "In your workspace");
  await page.reload();
  await use(page);
  await inMessages(page, "You already have a copy.");
  expect(await violations(page, [], "#messages")).toEqual([]);
  await page.locator("#messages").getByRole("link", { name: "Open", exact: true }).click();
  await page.getByLabel("Name", { exact: true }).waitFor();
  await page.goto(PATH);
  await use(page);
  await page.locator("#messages").getByRole("button", { name: "Make another copy" }).click();
  await inMessages(page, "In your workspace");
  expect(await copiesOf(page)).toBe(2);
  await finish(guest);
});

test("a member who uses a listing again is told of the copy, until the last one is deleted", async () => {
  const visitor = await member(PATH);
  const { page, id: userId } = visitor;
  // The links work only when the page knows the viewer.
  const known = () => page.locator('[data-action="star"][role="button"]').waitFor();
  await known();
  await use(page);
  await inMessages(page, "In your workspace");
  await page.reload();
  await known();
  await use(page);
  await inMessages(page, "You already have a copy.");
  await page.locator("#messages").getByRole("button", { name: "Make another copy" }).click();
  await inMessages(page, "In your workspace");
  expect(await copiesOf(page)).toBe(2);
  page.on("dialog", (dialog) => void dialog.accept());
  for (const left of [1, 0]) {
    await page
      .getByRole("button", { name: /^Delete Citation list/ })
      .first()
      .click();
    await expect.poll(() => page.getByRole("button", { name: /^Delete Citation list/ }).count()).toBe(left);
  }
  const makesFirst = async () => {
    await page.goto(PATH);
    await known();
    await use(page);
    await inMessages(page, "In your workspace");
  };
  await makesFirst();
  // When a published copy is deleted, its listing stays.
  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => {} });
  await sql
    .begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`delete from public.custom_components where user_id = ${userId}`;
    })
    .finally(() => sql.end());
  await makesFirst();
  await finish(visitor);
});
