import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { stack, type Visit, violations, visit } from "../fixture.ts";
import { finish, member } from "../people.ts";

/** Answers the browser's questions, and returns them. */
function answerWith(page: Page, yes: boolean): string[] {
  const asked: string[] = [];
  page.removeAllListeners("dialog");
  page.on("dialog", (dialog) => {
    asked.push(dialog.message());
    void (yes ? dialog.accept() : dialog.dismiss());
  });
  return asked;
}

async function newTemplate(page: Page): Promise<void> {
  await page.getByRole("button", { name: "New template" }).click();
  await page.getByLabel(/^Prompt/).waitFor();
}

test("Back asks before it leaves what is not saved", async () => {
  const guest = await visit("/workspace");
  const { page } = guest;
  await newTemplate(page);
  // Inside the workspace no page is loaded, so the browser itself does not ask.
  await page.getByRole("link", { name: "Workspace", exact: true }).last().click();
  await page.getByRole("link", { name: "New template" }).click();
  const prompt = page.getByLabel(/^Prompt/);
  await prompt.fill("Mine.");
  const address = page.url();
  const asked = answerWith(page, false);
  await page.goBack();
  await expect.poll(() => asked).toEqual(["Leave without saving? What you changed is lost."]);
  // The browser has gone back already when the page asks; the page then returns to its address.
  await expect.poll(() => page.url()).toBe(address);
  expect(await prompt.inputValue()).toBe("Mine.");
  answerWith(page, true);
  await page.goBack();
  await page.getByRole("heading", { name: "Workspace" }).waitFor();
  await finish(guest);
});

/** Opens the same new template in two tabs. */
async function inTwoTabs({ page }: Visit): Promise<Page> {
  await newTemplate(page);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.getByLabel(/^Prompt/).waitFor();
  return other;
}

async function save(tab: Page, text: string): Promise<void> {
  await tab.getByLabel(/^Prompt/).fill(text);
  await tab.getByRole("button", { name: "Save" }).click();
}

const conflictIn = (tab: Page) =>
  tab.getByRole("dialog", { name: "This item was changed in another tab or browser" });

/** Checks every answer to the question of a second tab. `stored` returns the prompt that is stored. */
async function answerEach({ page }: Visit, other: Page, stored: () => Promise<string>): Promise<void> {
  await save(page, "From the first.");
  await page.getByText("Saved.").waitFor();
  const conflict = conflictIn(other);
  await save(other, "From the second.");
  await conflict.locator("del", { hasText: "first" }).waitFor();
  await conflict.locator("ins", { hasText: "second" }).waitFor();
  expect(await violations(other)).toEqual([]);
  await conflict.getByRole("button", { name: "Not now" }).click();
  expect(await stored()).toBe("From the first.");
  expect(await other.getByLabel(/^Prompt/).inputValue()).toBe("From the second.");
  await other.getByRole("button", { name: "Save" }).click();
  await conflict.getByRole("button", { name: "Use the other one" }).click();
  await expect.poll(() => other.getByLabel(/^Prompt/).inputValue()).toBe("From the first.");
  await save(page, "From the first again.");
  await page.getByText("Saved.").first().waitFor();
  await expect.poll(stored).toBe("From the first again.");
  await save(other, "From the second.");
  await conflict.getByRole("button", { name: "Overwrite it with mine" }).click();
  await expect.poll(stored).toBe("From the second.");
  await other.getByText("Saved.").first().waitFor();
  // The second tab has the newest version now, so it need not ask again.
  const again = answerWith(other, false);
  await save(other, "Once more.");
  await expect.poll(stored).toBe("Once more.");
  expect(again).toEqual([]);
  // The first tab has not seen that change, and keeps both versions.
  await save(page, "Mine.");
  await page.getByRole("dialog").getByRole("button", { name: "Keep both" }).click();
  await page.getByRole("heading", { name: /\(mine\)$/ }).waitFor();
  expect(await page.getByLabel(/^Prompt/).inputValue()).toBe("Mine.");
  expect(await stored()).toBe("Once more.");
}

test("a member's second tab does not save over the first without a question", async () => {
  const visitor = await member();
  const other = await inTwoTabs(visitor);
  const id = new URL(other.url()).pathname.split("/").at(-1) ?? "";
  const templates = visitor.hub.workspace("template");
  await answerEach(visitor, other, async () => (await templates.get(id))?.content ?? "");
  await finish(visitor);
});

/** Returns the prompt of the template at an address, as a new tab shows it. */
async function shownAt(address: string, { page }: Visit): Promise<string> {
  const third = await page.context().newPage();
  await third.goto(address);
  const text = await third.getByLabel(/^Prompt/).inputValue();
  await third.close();
  return text;
}

test("a guest's second tab does not save over the first without a question", async () => {
  const guest = await visit("/workspace");
  const other = await inTwoTabs(guest);
  const stored = () => shownAt(other.url(), guest);
  if (LONG_TESTS) await answerEach(guest, other, stored);
  else {
    await save(guest.page, "From the first.");
    await guest.page.getByText("Saved.").waitFor();
    await save(other, "From the second.");
    await conflictIn(other).locator("del", { hasText: "first" }).waitFor();
    expect(await stored()).toBe("From the first.");
    await conflictIn(other).getByRole("button", { name: "Overwrite it with mine" }).click();
    await expect.poll(stored).toBe("From the second.");
  }
  await finish(guest);
});

test("the Share dialog asks before it closes over what was written", async () => {
  const visitor = await member();
  const { page } = visitor;
  await newTemplate(page);
  const open = () => page.getByRole("button", { name: "Share" }).click();
  const dialog = page.getByRole("dialog");
  await open();
  await dialog.getByLabel(/^Description/).waitFor();
  const unasked = answerWith(page, false);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(unasked).toEqual([]);
  await open();
  await dialog.getByLabel(/^Description/).fill("For minutes.");
  await page.keyboard.press("Escape");
  await expect.poll(() => unasked.length).toBe(1);
  expect(await dialog.getByLabel(/^Description/).inputValue()).toBe("For minutes.");
  answerWith(page, true);
  await dialog.getByRole("button", { name: "Close" }).click();
  await dialog.waitFor({ state: "detached" });
  await finish(visitor);
});

test("a double click makes one item", async () => {
  const guest = await visit("/workspace");
  const { page } = guest;
  await page.getByRole("button", { name: "New template" }).dblclick();
  await page.getByLabel(/^Prompt/).waitFor();
  await page.goto(`${stack.url}/workspace`);
  await page.getByRole("link", { name: "New template" }).first().waitFor();
  expect(await page.getByRole("link", { name: "New template" }).count()).toBe(1);
  await finish(guest);
});
