import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { stack, violations } from "../fixture.ts";
import { account, finish, type Member, member } from "../people.ts";

async function write(page: Page, prompt: string): Promise<void> {
  await page.getByLabel(/^Prompt/).fill(prompt);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
}

/** Imports a listing. Returns the ids of the new rows. */
async function importedIds({ hub }: Member, slug: string): Promise<string[]> {
  const answer = await hub.importAsset(slug);
  return answer.stored === "cloud" ? answer.created.map(({ id }) => id ?? "") : [];
}

test("a creator publishes a second version; an importer reads what changed, updates the copy, takes the update back", async () => {
  const creator = await member("/favicon.svg");
  const content = "Say goodbye to {{name}} in one sentence.";
  const item = await creator.hub.workspace("template").create({ name: "A farewell", content });
  const { asset } = await creator.hub.publish({
    ...{ asset_type: "template", ref_id: item.id, title: item.name },
    ...{ description: "Says goodbye.", license: "platform-free" },
  });
  const path = `/hub/templates/${asset.slug}`;

  const importer = await member("/favicon.svg");
  const { page } = importer;
  const own = importer.hub.workspace("template");
  const [copy = ""] = await importedIds(importer, asset.slug);
  await own.update(copy, { content: "My own words to {{name}}." });

  await creator.page.goto(`/workspace/template/${item.id}`);
  await write(creator.page, "Say goodbye to {{name}} in two warm sentences.");
  await creator.page.getByRole("button", { name: "Share" }).click();
  await creator.page.getByLabel(/^What changed/).fill("Warmer, and longer.");
  await creator.page.getByLabel(/^Name of the version/).fill("1.1");
  await creator.page.getByRole("button", { name: "Look at what will be public" }).click();
  await creator.page.getByRole("button", { name: "Publish", exact: true }).click();
  await creator.page.getByText("Published.").waitFor();

  await page.goto("/workspace");
  await page.getByText("from A farewell").waitFor();
  expect(await page.getByRole("link", { name: "original" }).getAttribute("href")).toBe(path);
  const news = page.getByRole("listitem").filter({ hasText: "A farewell has version 1" });
  await news.getByText("Warmer, and longer.").waitFor();
  expect(await violations(page)).toEqual([]);
  await news.getByRole("link", { name: "What changed" }).click();
  await page.waitForURL(/versions\?from=1&to=2/);
  expect((await page.locator(".difference ins").allTextContents()).join(" ")).toBe("two warm sentences");
  expect((await page.locator(".difference del").allTextContents()).join(" ")).toBe("one sentence");
  expect(await violations(page)).toEqual([]);

  // A user who stays with a version gets no news until they follow again.
  await page.goto("/workspace");
  await news.getByRole("button", { name: "Stay with version 1" }).click();
  await page.getByRole("heading", { name: "News about your copies" }).waitFor({ state: "detached" });
  await page.goto(`/workspace/template/${copy}`);
  await page.getByText("stays with version 1").waitFor();
  await page.getByRole("button", { name: "Follow again" }).click();
  await page.getByText("You will hear of newer versions again.").waitFor();

  // The user's own edit is not replaced without a question.
  const update = async (answer: "accept" | "dismiss") => {
    const asked = page.waitForEvent("dialog");
    await news.getByRole("button", { name: "Update my copy" }).click();
    await (await asked)[answer]();
  };
  await page.goto("/workspace");
  await update("dismiss");
  await update("accept");
  await page.locator("#messages").getByText("has version 2 now").waitFor();
  await page.goto(`/workspace/template/${copy}`);
  const prompt = page.getByLabel(/^Prompt/);
  expect(await prompt.inputValue()).toContain("two warm sentences");

  // The edit can be restored later, in the editor, and the text typed meanwhile is not lost.
  const takeBack = page.getByRole("button", { name: "Take back the last update" });
  await prompt.fill("Words after the update to {{name}}.");
  await takeBack.click();
  await expect.poll(() => prompt.inputValue()).toBe("My own words to {{name}}.");
  await takeBack.click();
  await expect.poll(() => prompt.inputValue()).toBe("Words after the update to {{name}}.");

  await withdraw(creator.page, path);
  await page.goto("/workspace");
  await page.getByText("has withdrawn version 2: Too warm.").waitFor();
  await finish(importer);
  await finish(creator);
});

test("Undo after the update of a kit brings back the items that were edited", async () => {
  const creator = await account();
  const template = creator.hub.workspace("template");
  const part = await template.create({ name: "A part of two", content: "The first words." });
  const kit = await creator.hub.workspace("orchestration").create({ name: "A kit of two" });
  const publishKit = () =>
    creator.hub.publish({
      ...{ asset_type: "orchestration", ref_id: kit.id, title: kit.name, description: "Two in one." },
      ...{ license: "platform-free", items: [{ asset_type: "template", ref_id: part.id }] },
    });
  const { asset } = await publishKit();

  const importer = await member("/favicon.svg");
  const { page } = importer;
  const own = importer.hub.workspace("template");
  const [, copy = ""] = await importedIds(importer, asset.slug);
  const text = async () => (await own.get(copy))?.content;
  await own.update(copy, { content: "My own words." });
  await template.update(part.id, { content: "The second words." });
  await publishKit();

  await page.goto("/workspace");
  page.once("dialog", (dialog) => void dialog.accept());
  const news = page.getByRole("listitem").filter({ hasText: "A kit of two has version 1" });
  await news.getByRole("button", { name: "Update my copy" }).click();
  const undo = page.locator("#messages").getByRole("button", { name: "Undo" });
  await undo.waitFor();
  expect(await text()).toBe("The second words.");
  await undo.click();
  await page.locator("#messages").getByText("is as it was, version 1.").waitFor();
  expect(await text()).toBe("My own words.");
  await finish(importer);
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
  page.once("dialog", (dialog) => void dialog.accept("Too warm."));
  await second.getByRole("button", { name: "Withdraw" }).click();
  await second.getByText("withdrawn", { exact: true }).waitFor();
  const listing = await (await fetch(`${stack.url}${path}`)).text();
  expect(listing).toContain("in one sentence");
  await page.goto(`${path}/versions`);
  await page.getByText("Its creator has withdrawn this version: Too warm.").waitFor();
}
