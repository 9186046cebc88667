import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { stack, violations, visit } from "../fixture.ts";
import { finish, signUp } from "../people.ts";

/** Pictures for a person to look at, when the variable names a folder. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.KEYHUB_PICTURES;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

async function write(page: Page, prompt: string): Promise<void> {
  await page.getByLabel(/^Prompt/).fill(prompt);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
}

async function publish(page: Page, notes?: { label: string; changelog: string }): Promise<void> {
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByLabel(/^Description/).fill("Says goodbye.");
  if (notes) {
    await page.getByLabel(/^What changed/).fill(notes.changelog);
    await page.getByLabel(/^Name of the version/).fill(notes.label);
    await picture(page, "share");
  }
  await page.getByRole("button", { name: "Look at what will be public" }).click();
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByText("Published.").waitFor();
}

test("a creator publishes a second version; an importer reads what changed, updates the copy, takes the update back", async () => {
  const creator = await visit("/hub");
  await signUp(creator.page);
  await creator.page.getByRole("button", { name: "New template" }).click();
  await creator.page.waitForURL(/\/workspace\/template\//);
  const item = creator.page.url();
  await creator.page.getByLabel("Name", { exact: true }).fill("A farewell");
  await write(creator.page, "Say goodbye to {{name}} in one sentence.");
  await publish(creator.page);
  await creator.page.getByRole("link", { name: "See it on the hub" }).click();
  await creator.page.waitForURL(/\/hub\/templates\/a-farewell/);
  const path = new URL(creator.page.url()).pathname;

  const importer = await visit("/hub");
  const { page } = importer;
  await signUp(page);
  await page.goto(path);
  await page.locator('[data-action="star"][role="button"]').waitFor();
  await page.getByRole("link", { name: "Use this", exact: true }).click();
  await page.getByRole("link", { name: "Open", exact: true }).click();
  await write(page, "My own words to {{name}}.");
  const copy = page.url();

  await creator.page.goto(item);
  await write(creator.page, "Say goodbye to {{name}} in two warm sentences.");
  await publish(creator.page, { label: "1.1", changelog: "Warmer, and longer." });

  await page.goto("/workspace");
  await page.getByText("from A farewell").waitFor();
  expect(await page.getByRole("link", { name: "original" }).getAttribute("href")).toBe(path);
  const news = page.getByRole("listitem").filter({ hasText: "A farewell has version 1" });
  await news.getByText("Warmer, and longer.").waitFor();
  expect(await violations(page)).toEqual([]);
  await picture(page, "news");
  await news.getByRole("link", { name: "What changed" }).click();
  await page.waitForURL(/versions\?from=1&to=2/);
  expect((await page.locator(".difference ins").allTextContents()).join(" ")).toBe("two warm sentences");
  expect((await page.locator(".difference del").allTextContents()).join(" ")).toBe("one sentence");
  expect(await violations(page)).toEqual([]);
  await picture(page, "difference");

  // Who stays with a version hears no more, until they follow again.
  await page.goto("/workspace");
  await news.getByRole("button", { name: "Stay with version 1" }).click();
  await page.getByRole("heading", { name: "News about your copies" }).waitFor({ state: "detached" });
  await page.goto(copy);
  await page.getByText("stays with version 1").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Follow again" }).click();
  await page.getByText("You hear of newer versions again.").waitFor();

  // An own edit is not replaced without a question, and can be had back.
  const update = async (answer: "accept" | "dismiss") => {
    await page.goto("/workspace");
    const asked = page.waitForEvent("dialog");
    await news.getByRole("button", { name: "Update my copy" }).click();
    await (await asked)[answer]();
  };
  await update("dismiss");
  await update("accept");
  await page.locator("#messages").getByText("has version 2 now").waitFor();
  const back = page.locator("#messages").getByRole("button", { name: "Undo" });
  await page.getByRole("heading", { name: "News about your copies" }).waitFor({ state: "detached" });
  await back.click();
  await page.locator("#messages").getByText("is as it was, version 1.").waitFor();
  await page.goto(copy);
  expect(await page.getByLabel(/^Prompt/).inputValue()).toBe("My own words to {{name}}.");
  await update("accept");
  await page.locator("#messages").getByText("has version 2 now").waitFor();
  await page.goto(copy);
  expect(await page.getByLabel(/^Prompt/).inputValue()).toContain("two warm sentences");

  await withdraw(creator.page, path);
  await page.goto("/workspace");
  await page.getByText("has withdrawn version 2: Too warm.").waitFor();
  await picture(page, "withdrawn");
  await finish(importer);
  await finish(creator);
});

/** The creator names the first version and withdraws the second: readers see the first one again. */
async function withdraw(page: Page, path: string): Promise<void> {
  await page.goto("/workspace/listings");
  await page.getByRole("button", { name: "Versions" }).click();
  const second = page.getByRole("listitem").filter({ hasText: "Version 2" });
  const first = page.getByRole("listitem").filter({ hasText: "Version 1" });
  await first.getByLabel("Name of the version").fill("1.1");
  await first.getByRole("button", { name: "Save" }).click();
  await page.locator("#messages").getByText("Another version has this label").waitFor();
  await first.getByLabel("Name of the version").fill("1.0");
  await first.getByRole("button", { name: "Save" }).click();
  await page.locator("#messages").getByText("Saved.").waitFor();
  expect(await violations(page)).toEqual([]);
  await picture(page, "own-versions");
  page.once("dialog", (dialog) => void dialog.accept("Too warm."));
  await second.getByRole("button", { name: "Withdraw" }).click();
  await second.getByText("withdrawn", { exact: true }).waitFor();
  const listing = await (await fetch(`${stack.url}${path}`)).text();
  expect(listing).toContain("in one sentence");
  await page.goto(`${path}/versions`);
  await page.getByText("Its creator has withdrawn this version: Too warm.").waitFor();
  expect(await violations(page)).toEqual([]);
  await picture(page, "versions");
}
