import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { stack, violations } from "../fixture.ts";
import { finish, member } from "../people.ts";

/** Saves a screenshot for a person to look at, if KEYHUB_PICTURES names a folder. */
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
  const creator = await member();
  await creator.page.getByRole("button", { name: "New template" }).click();
  await creator.page.waitForURL(/\/workspace\/template\//);
  const item = creator.page.url();
  await creator.page.getByLabel("Name", { exact: true }).fill("A farewell");
  await write(creator.page, "Say goodbye to {{name}} in one sentence.");
  await publish(creator.page);
  await creator.page.getByRole("link", { name: "See it on the hub" }).click();
  await creator.page.waitForURL(/\/hub\/templates\/a-farewell/);
  const path = new URL(creator.page.url()).pathname;

  const importer = await member(path);
  const { page } = importer;
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

  // A user who stays with a version gets no news until they follow again.
  await page.goto("/workspace");
  await news.getByRole("button", { name: "Stay with version 1" }).click();
  await page.getByRole("heading", { name: "News about your copies" }).waitFor({ state: "detached" });
  await page.goto(copy);
  await page.getByText("stays with version 1").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Follow again" }).click();
  await page.getByText("You will hear of newer versions again.").waitFor();

  // The user's own edit is not replaced without a question, and can be restored.
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
  const prompt = page.getByLabel(/^Prompt/);
  expect(await prompt.inputValue()).toContain("two warm sentences");

  // The edit can also be restored later, in the editor, and the text typed meanwhile is not lost.
  const takeBack = page.getByRole("button", { name: "Take back the last update" });
  await prompt.fill("Words after the update to {{name}}.");
  await takeBack.click();
  await expect.poll(() => prompt.inputValue()).toBe("My own words to {{name}}.");
  expect(await violations(page)).toEqual([]);
  await takeBack.click();
  await expect.poll(() => prompt.inputValue()).toBe("Words after the update to {{name}}.");

  await withdraw(creator.page, path);
  await page.goto("/workspace");
  await page.getByText("has withdrawn version 2: Too warm.").waitFor();
  await picture(page, "withdrawn");
  await finish(importer);
  await finish(creator);
});

test("Undo after the update of a kit brings back the items that were edited", async () => {
  const creator = await member();
  const create = async (type: string, name: string) => {
    await creator.page.goto("/workspace");
    await creator.page.getByRole("button", { name: `New ${type}` }).click();
    await creator.page.getByLabel("Name", { exact: true }).fill(name);
    if (type === "template") await write(creator.page, "The first words.");
    else await creator.page.getByRole("button", { name: "Save" }).click();
    await creator.page.getByText("Saved.").waitFor();
    return creator.page.url();
  };
  const part = await create("template", "A part of two");
  const kit = await create("orchestration", "A kit of two");
  const publishKit = async () => {
    await creator.page.goto(kit);
    await creator.page.getByRole("button", { name: "Share" }).click();
    await creator.page.getByRole("checkbox", { name: "A part of two" }).check();
    await creator.page.getByLabel(/^Description/).fill("Two in one.");
    await creator.page.getByRole("button", { name: "Look at what will be public" }).click();
    await creator.page.getByRole("button", { name: "Publish", exact: true }).click();
    await creator.page.getByText("Published.").waitFor();
  };
  await publishKit();

  const importer = await member("/hub/orchestrations/a-kit-of-two");
  const { page } = importer;
  await page.locator('[data-action="star"][role="button"]').waitFor();
  await page.getByRole("link", { name: "Use this", exact: true }).click();
  await page.locator("#messages").getByRole("link", { name: "Open", exact: true }).waitFor();
  await page.goto("/workspace");
  await page.getByRole("link", { name: "A part of two" }).click();
  await write(page, "My own words.");
  const copy = page.url();

  await creator.page.goto(part);
  await write(creator.page, "The second words.");
  await publishKit();

  await page.goto("/workspace");
  page.once("dialog", (dialog) => void dialog.accept());
  const news = page.getByRole("listitem").filter({ hasText: "A kit of two has version 1" });
  await news.getByRole("button", { name: "Update my copy" }).click();
  await page.locator("#messages").getByRole("button", { name: "Undo" }).waitFor();
  const stored = await page.context().newPage();
  const text = async () => {
    await stored.goto(copy);
    return stored.getByLabel(/^Prompt/).inputValue();
  };
  expect(await text()).toBe("The second words.");
  await page.locator("#messages").getByRole("button", { name: "Undo" }).click();
  await page.locator("#messages").getByText("is as it was, version 1.").waitFor();
  expect(await text()).toBe("My own words.");
  await finish(importer);
  await finish(creator);
});

/** Names the first version and withdraws the second, as the creator: readers see the first one again. */
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
