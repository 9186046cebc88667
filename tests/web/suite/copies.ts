import postgres from "postgres";
import { expect, test } from "vitest";
import { stack, type Visit, violations, visit } from "../fixture.ts";
import { finish, member } from "../people.ts";

const PATH = "/hub/components/citation-list";

/** Presses "Use this" twice: the second time the page offers to open the existing copy or to make another one. */
async function usesTwice({ page }: Visit, isMember = false): Promise<void> {
  const messages = page.locator("#messages");
  const copies = async () => {
    await page.goto("/workspace");
    await page.getByText("None yet.").first().waitFor();
    return page.getByRole("link", { name: /^Citation list/ }).count();
  };
  // A member must wait until the page knows the viewer, because the links work only then.
  const show = async () => {
    await page.goto(PATH);
    if (isMember) await page.locator('[data-action="star"][role="button"]').waitFor();
  };
  await show();
  const use = page.getByRole("link", { name: "Use this", exact: true });
  await use.click();
  await messages.getByText("In your workspace").waitFor();
  await show();
  await use.click();
  await messages.getByText("You already have a copy.").waitFor();
  expect(await violations(page)).toEqual([]);
  await messages.getByRole("link", { name: "Open", exact: true }).click();
  await page.getByLabel("Name", { exact: true }).waitFor();
  expect(await copies()).toBe(1);
  await show();
  await use.click();
  await messages.getByRole("button", { name: "Make another copy" }).click();
  await messages.getByText("In your workspace").waitFor();
  expect(await copies()).toBe(2);
}

test("a guest who uses a listing again is told of the copy", async () => {
  const guest = await visit(PATH);
  await usesTwice(guest);
  await finish(guest);
});

test("a member who uses a listing again is told of the copy, until the last one is deleted", async () => {
  const visitor = await member();
  const { page, email } = visitor;
  await usesTwice(visitor, true);
  page.on("dialog", (dialog) => void dialog.accept());
  for (const left of [1, 0]) {
    await page
      .getByRole("button", { name: /^Delete Citation list/ })
      .first()
      .click();
    await expect.poll(() => page.getByRole("button", { name: /^Delete Citation list/ }).count()).toBe(left);
  }
  const use = async () => {
    await page.goto(PATH);
    await page.locator('[data-action="star"][role="button"]').waitFor();
    await page.getByRole("link", { name: "Use this", exact: true }).click();
    await page.locator("#messages").getByText("In your workspace").waitFor();
  };
  await use();
  // When a published copy is deleted, its listing stays.
  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => {} });
  await sql
    .begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`delete from public.custom_components c using auth.users u where u.id = c.user_id and u.email = ${email}`;
    })
    .finally(() => sql.end());
  await use();
  await finish(visitor);
});
