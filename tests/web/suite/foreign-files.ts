import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { repository } from "../../support/cli.ts";
import { stack, violations, visit } from "../fixture.ts";
import { finish, member } from "../people.ts";

const folder = join(repository, "tests", "fixtures", "formats");
const fixture = (name: string) => readFile(join(folder, name), "utf8");

/** Drops files on the page, like a user. */
async function drop(page: Page, names: readonly string[]): Promise<void> {
  const files = await Promise.all(names.map(async (name) => ({ name, text: await fixture(name) })));
  const transfer = await page.evaluateHandle((given) => {
    const held = new DataTransfer();
    for (const { name, text } of given) held.items.add(new File([text], name));
    return held;
  }, files);
  await page.dispatchEvent("body", "dragover", { dataTransfer: transfer });
  await page.getByText("Drop them here.").waitFor();
  await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
}

test("a guest drops files of three tools and one of none: each says what came of it, and is in this browser", async () => {
  const guest = await visit("/workspace");
  const { page } = guest;
  await page.getByText("Or drop them on this page").waitFor();
  await drop(page, ["n8n.json", "dify.yml", "prompts-csv.csv"]);
  await page.getByText("Imported 4 items.").waitFor();
  const results = page.locator(".results");
  expect(await results.getByRole("link").allTextContents()).toEqual([
    ...["Sort the inbox", "Sum up: short", "Travel guide", "SQL terminal"],
  ]);
  expect(await violations(page)).toEqual([]);
  await page.getByLabel("Import files").setInputFiles([
    { name: "odd.json", mimeType: "application/json", buffer: Buffer.from('{"a": 1}') },
    { name: "SKILL.md", mimeType: "text/markdown", buffer: Buffer.from(await fixture("skill.md")) },
  ]);
  await page.getByText("Imported. One file was not imported.").waitFor();
  await results.getByText(/is not a file of any of these formats/).waitFor();

  await page.getByRole("link", { name: "Sort the inbox" }).first().click();
  await page.getByText("This item keeps the file that it was read from (n8n).").waitFor();
  await page.getByRole("img", { name: "Pipeline of Sort the inbox" }).getByText("Judge").waitFor();
  // After a change of the name, the item still has its source file. A change of the edges drops the file, after a question.
  await page.getByLabel("Name", { exact: true }).fill("My inbox");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  await page.getByText("This item keeps the file").waitFor();
  const questions: string[] = [];
  page.once("dialog", (dialog) => {
    questions.push(dialog.message());
    void dialog.dismiss();
  });
  await page.getByLabel("Edges (JSON)").fill("[]");
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => questions).toEqual([expect.stringContaining("the file is dropped")]);
  page.once("dialog", (dialog) => void dialog.accept());
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("This item keeps the file").waitFor({ state: "detached" });
  await finish(guest);
});

test("a file goes from one tool through the hub to somebody who opens it in the same tool, without its secrets", async () => {
  const author = await member();
  const { page } = author;
  await page.getByLabel("Import files").setInputFiles(join(folder, "n8n.json"));
  await page.getByText("Imported.", { exact: true }).waitFor();
  await page.getByText("The tool that made this requires these: openAiApi, n8n-nodes-scorer.").waitFor();
  await page.getByRole("button", { name: "Share Sort the inbox" }).click();
  await page.getByLabel(/^Description/).fill("Judges every mail and tells the team.");
  await page.getByRole("button", { name: "Look at what will be public" }).click();
  await page.getByText("Removed, because it looks like a secret").waitFor();
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByRole("link", { name: "See it on the hub" }).click();
  await page.waitForURL(/\/hub\/orchestrations\/sort-the-inbox/);

  const reader = await visit(new URL(page.url()).pathname);
  const { page: read } = reader;
  await read.getByText("n8n workflow").first().waitFor();
  const details = read.getByLabel("Details");
  expect(await details.getByText("Nodes", { exact: true }).locator("..").textContent()).toBe("Nodes4");
  await details.getByText("openAiApi").waitFor();
  // The drawing shows every node. The keys + and 0 and the button "Smaller" change the size of the drawing.
  const drawing = read.getByRole("img", {
    name: /^Pipeline of Sort the inbox: New mail, Judge, Tell, Score$/,
  });
  const widthOf = async () => (await drawing.boundingBox())?.width ?? 0;
  const before = await widthOf();
  await read.getByLabel("Diagram of the pipeline").focus();
  await read.keyboard.press("+");
  expect(await widthOf()).toBeGreaterThan(before * 1.2);
  await read.keyboard.press("0");
  await read.getByRole("button", { name: "Smaller" }).click();
  expect(await widthOf()).toBeLessThan(before);
  // Opening a node shows its prompt.
  await read.locator(".nodes summary", { hasText: "Judge" }).click();
  await read.getByText("Is {{ $json.subject }} urgent?").first().waitFor();
  const [download] = await Promise.all([
    read.waitForEvent("download"),
    read.getByRole("link", { name: "Download the file" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("sort-the-inbox.json");
  const file = JSON.parse(await readFile(await download.path(), "utf8"));
  expect(file.nodes).toHaveLength(5);
  expect(JSON.stringify(file)).not.toMatch(/kx83jdQpLm20|Zk3pQ9vLw2xR7tYs|Ada Lovelace/);
  await finish(reader);
  await finish(author);
});

test("any template is downloaded as Markdown, as a skill and as a list", async () => {
  const path = "/hub/templates/clear-meeting-minutes";
  const guest = await visit(path);
  await guest.page.getByText("Take it elsewhere").click();
  expect(await guest.page.getByRole("link", { name: /^Download as/ }).allTextContents()).toEqual([
    "Download as list of prompts (CSV)",
    "Download as agent skill (SKILL.md)",
    "Download as Markdown prompt",
  ]);
  await finish(guest);
  const file = await fetch(`${stack.url}${path}/file?as=skill`);
  expect(file.headers.get("content-disposition")).toBe('attachment; filename="SKILL.md"');
  expect(await file.text()).toMatch(/^---\nname: clear-meeting-minutes\ndescription: /);
  expect((await fetch(`${stack.url}${path}/file?as=n8n`)).status).toBe(404);
  expect((await fetch(`${stack.url}${path}/file/x`)).status).toBe(404);
});

test("a starter kit is built: items are picked, put in order, looked at and shared together", async () => {
  const author = await member();
  const { page } = author;
  await page
    .getByLabel("Import files")
    .setInputFiles([
      join(folder, "skill.md"),
      join(folder, "prompts-csv.csv"),
      join(folder, "openwebui-model.json"),
    ]);
  await page.getByText("Imported 4 items.").waitFor();
  await page.getByRole("link", { name: "Build a starter kit" }).click();
  for (const name of ["Travel guide", "Plain words", "SQL terminal"])
    await page.getByRole("button", { name: `Add ${name}` }).click();
  await page.getByRole("button", { name: "Move SQL terminal up" }).click();
  await page.getByRole("button", { name: "Remove Travel guide" }).click();
  await page.getByRole("img", { name: "The kit" }).getByText("SQL terminal").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByLabel("Name", { exact: true }).fill("A desk kit");
  await page.getByRole("button", { name: "Share the kit" }).click();
  await page.getByLabel(/^Description/).fill("A terminal and plain words.");
  await page.getByRole("radio", { name: /Platform free/ }).check();
  await page.getByRole("button", { name: "Look at what will be public" }).click();
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByRole("link", { name: "See it on the hub" }).click();
  await page.waitForURL(/\/hub\/orchestrations\/a-desk-kit/);
  expect(
    await page.locator("details.item summary bdi, details.item summary > span:first-child").allTextContents(),
  ).toEqual(["SQL terminal", "Plain words"]);
  expect(await page.locator(".stages li").allTextContents()).toEqual(["SQL terminal", "Plain words"]);
  await finish(author);
});
