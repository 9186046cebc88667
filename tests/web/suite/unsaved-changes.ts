import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { stack, violations, visit } from "../fixture.ts";
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

test.each(["a guest's", "a member's"])(
  "%s second tab does not save over the first without a question",
  async (whose) => {
    const visitor = await (whose === "a member's" ? member() : visit("/workspace"));
    const { page } = visitor;
    await newTemplate(page);
    const other = await page.context().newPage();
    const address = page.url();
    await other.goto(address);
    await other.getByLabel(/^Prompt/).waitFor();
    const save = async (tab: Page, text: string) => {
      await tab.getByLabel(/^Prompt/).fill(text);
      await tab.getByRole("button", { name: "Save" }).click();
    };
    const stored = async () => {
      const third = await page.context().newPage();
      await third.goto(address);
      const text = await third.getByLabel(/^Prompt/).inputValue();
      await third.close();
      return text;
    };
    await save(page, "From the first.");
    await page.getByText("Saved.").waitFor();
    const conflict = other.getByRole("dialog", { name: "This item was changed in another tab or browser" });
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
    await finish(visitor);
  },
);

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

test("a double click makes one item, and a file that is no export is said to be none", async () => {
  const guest = await visit("/workspace");
  const { page } = guest;
  await page.getByRole("button", { name: "New template" }).dblclick();
  await page.getByLabel(/^Prompt/).waitFor();
  await page.goto(`${stack.url}/workspace`);
  await page.getByRole("link", { name: "New template" }).first().waitFor();
  expect(await page.getByRole("link", { name: "New template" }).count()).toBe(1);
  await page.getByLabel("Import files").setInputFiles({
    ...{ name: "package.json", mimeType: "application/json", buffer: Buffer.from('{"name": "x"}') },
  });
  await page.getByText(/is not a file of any of these formats/).waitFor();
  await finish(guest);
});
