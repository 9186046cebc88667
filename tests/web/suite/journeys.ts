import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { stack, violations, visit } from "../fixture.ts";
import { account, continueAs, finish, member, signUp } from "../people.ts";

test("a guest's copies and own items live in the browser, and move to the account at sign-in", async () => {
  const guest = await visit("/hub/templates/clear-meeting-minutes");
  const { page } = guest;
  await page.getByRole("link", { name: "Use this", exact: true }).click();
  await page.getByRole("link", { name: "Open", exact: true }).click();
  await page.getByLabel("Name", { exact: true }).fill("My minutes");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  await page.goto("/hub/components/json-tree");
  await page.getByRole("link", { name: "Remix", exact: true }).click();
  await page.waitForURL(/\/workspace\/component\//);
  await page.goto("/workspace");
  await page.getByRole("link", { name: "My minutes" }).waitFor();
  // Publishing asks to sign in, and comes back to the hub.
  await page.getByRole("button", { name: "Share My minutes" }).click();
  await page.waitForURL(/\/login\?returnTo=%2Fhub$/);
  await page.getByText("Sign in to publish.").waitFor();
  await signUp(page);
  await page.getByRole("link", { name: "My minutes" }).waitFor();
  await page.getByRole("link", { name: "JSON tree" }).waitFor();
  expect(await page.getByText("in this browser only").count()).toBe(0);
  await finish(guest);
});

test("a creator shares: title, what will be public, what was taken out, the address; then stars and takes it along", async () => {
  const visitor = await member();
  const { page } = visitor;
  await page.getByRole("button", { name: "New template" }).click();
  await page.waitForURL(/\/workspace\/template\//);
  await page.getByLabel("Name", { exact: true }).fill("A shared greeting");
  await page
    .getByLabel(/^Prompt/)
    .fill("Greet {{name}}. api_key = 'sk-proj-4fJq8ZtLw2Xc9VbN7mKd3PsRhT6yUeGa'");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  await page.getByRole("button", { name: "Share" }).click();
  expect(await page.getByLabel("Title").inputValue()).toBe("A shared greeting");
  await page.getByLabel(/^Description/).fill("Greets people by name.");
  await page.getByRole("button", { name: "#qa" }).click();
  await page.getByRole("button", { name: "Look at what will be public" }).click();
  await page.getByText("Removed, because it looks like a secret").waitFor();
  expect(await page.locator("dialog pre.prompt").textContent()).toContain("[redacted]");
  // No script runs in the dialog's preview, so it must not reserve space for elements that only a script would show.
  const unseen = await page
    .locator("dialog")
    .evaluate((dialog) =>
      [...dialog.querySelectorAll("*")]
        .filter((one) => getComputedStyle(one).visibility === "hidden" && one.getClientRects().length > 0)
        .map((one) => one.outerHTML.slice(0, 80)),
    );
  expect(unseen).toEqual([]);
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByRole("link", { name: "See it on the hub" }).click();
  await page.waitForURL(/\/hub\/templates\/a-shared-greeting/);
  expect(await page.locator("pre.prompt").textContent()).not.toContain("sk-proj");
  // The page shows the star at once, but leaving it before the hub has answered would abort the request.
  const kept = page.waitForResponse(
    (answer) =>
      answer.url().includes("/rest/v1/hub_stars") && answer.ok() && answer.request().method() === "POST",
  );
  await page.locator('[data-action="star"][role="button"]').click();
  await page.getByText("Starred").waitFor();
  await kept;
  expect(await page.locator(".asset-counts").textContent()).toMatch(/1\s+star\b/);
  await page.reload();
  const star = page.locator('[data-action="star"]');
  await page.locator('[data-action="star"][aria-pressed="true"]').waitFor();
  // A refused change of a star is undone, and the reason is shown.
  await page.route("**/rest/v1/hub_stars*", (route) => route.abort());
  await star.click();
  await page.locator("#messages").getByText("could not be reached").waitFor();
  expect(await star.getAttribute("aria-pressed")).toBe("true");
  await page.unroute("**/rest/v1/hub_stars*");
  await page.goto("/workspace/stars");
  await page.getByRole("link", { name: "A shared greeting" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Unstar A shared greeting" }).click();
  await page.getByText("Nothing yet.").waitFor();
  await ownListing(page, "/hub/templates/a-shared-greeting");
  visitor.complaints = visitor.complaints.filter((one) => !one.includes("ERR_FAILED"));
  await finish(visitor);
});

/** Does what a creator does with a listing: new texts, unpublishing and publishing again, a look at a new version, deletion. */
async function ownListing(page: Page, path: string): Promise<void> {
  const status = async () => (await fetch(`${stack.url}${path}`)).status;
  await page.getByRole("link", { name: "My listings" }).click();
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  expect(await page.getByLabel(/^Description/).inputValue()).toBe("Greets people by name.");
  await page.getByLabel("Title").fill("A warmer greeting");
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Save" }).click();
  const entry = page.getByRole("article", { name: "A warmer greeting" });
  await entry.getByRole("button", { name: "Unpublish" }).click();
  await entry.getByText("taken off the hub by you").waitFor();
  expect(await status()).toBe(404);
  await entry.getByRole("button", { name: "Publish again" }).click();
  await entry.getByRole("button", { name: "Unpublish" }).waitFor();
  expect(await status()).toBe(200);

  await entry.getByRole("link", { name: "New version" }).click();
  await page.getByLabel(/^Prompt/).fill("Greet {{name}} warmly.");
  // Leaving the page with unsaved changes asks a question. Share stores the changes first.
  page.once("dialog", (dialog) => void dialog.dismiss());
  await page.getByRole("link", { name: "Workspace", exact: true }).first().click();
  expect(await page.getByLabel(/^Prompt/).inputValue()).toBe("Greet {{name}} warmly.");
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByText("Saved.").waitFor();
  await page.getByText("becomes its next version").waitFor();
  expect(await page.getByLabel("Title").inputValue()).toBe("A warmer greeting");
  await page.getByLabel(/^Description/).fill("Greets people warmly.");
  await page.getByRole("button", { name: "Look at what will be public" }).click();
  expect(await page.locator("dialog pre.prompt").textContent()).toContain("warmly");
  // Back in the form, the typed text is still there.
  await page.getByRole("button", { name: "Back" }).click();
  expect(await page.getByLabel(/^Description/).inputValue()).toBe("Greets people warmly.");

  await page.goto("/workspace/listings");
  page.once("dialog", (dialog) => void dialog.accept());
  await entry.getByRole("button", { name: "Delete" }).click();
  await page.getByText("The listing is deleted.").waitFor();
  await page.getByText("Share an item of your workspace").waitFor();
  expect(await status()).toBe(410);
}

test("a component with findings is published only after a confirmation, and its page warns", async () => {
  const visitor = await member("/favicon.svg");
  const { page } = visitor;
  const source = "export default () => <p>{eval('1 + 1')}</p>;";
  const { id } = await visitor.hub.workspace("component").create({ name: "Sum by eval", source });
  await page.goto(`/workspace/component/${id}`);
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByLabel(/^Description/).fill("Adds.");
  await page.getByRole("button", { name: "Look at what will be public" }).click();
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByRole("button", { name: "Publish all the same" }).click();
  await page.getByRole("link", { name: "See it on the hub" }).click();
  await page.getByRole("heading", { name: "Sum by eval", level: 1 }).waitFor();
  await page.getByText("in line 1").waitFor();
  await finish(visitor);
});

test("a member exports an item as a file, and imports it again", async () => {
  const visitor = await member("/favicon.svg");
  const { page } = visitor;
  await visitor.hub.workspace("ai_preset").create({ name: "Cold facts", temperature: 0 });
  await page.goto("/workspace");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export Cold facts" }).click(),
  ]);
  const folder = await mkdtemp(join(tmpdir(), "keyhub-download-"));
  try {
    const file = join(folder, "cold-facts.json");
    await download.saveAs(file);
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({
      asset_type: "ai_preset",
      payload: { temperature: 0 },
    });
    page.once("dialog", (dialog) => void dialog.accept());
    await page.getByRole("button", { name: "Delete Cold facts" }).click();
    await page.getByText("Deleted.").waitFor();
    await page.getByLabel("Import files").setInputFiles(file);
    await page.getByRole("link", { name: "Cold facts" }).first().waitFor();
    await writeFile(file, "{");
    await page.getByLabel("Import files").setInputFiles(file);
    await page.getByText(/is not a file of any of these formats: Keyhub asset, n8n workflow/).waitFor();
  } finally {
    await rm(folder, { recursive: true });
  }
  await finish(visitor);
});

test("a reporter reports, an admin sees it, upholds it, restores it; nobody else sees the queue", async () => {
  const visitor = await member("/hub/components/carte-de-score");
  const { page } = visitor;
  const report = page.getByRole("link", { name: "Report" });
  await page.locator('[data-action="star"][role="button"]').waitFor();
  await report.click();
  await page.getByLabel("Reason").selectOption("copyright");
  await page.getByRole("textbox", { name: /^Details/ }).fill("It is mine.");
  await page.getByLabel("Address (https)").fill("https://example.org/card");
  await page.getByLabel("Who holds the rights").fill("Ada Lovelace");
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Report", exact: true }).click();
  await page.getByText("An admin will look at it.").waitFor();
  const asked = page.waitForResponse(/hub_admins/);
  await page.goto("/workspace");
  await (await asked).finished();
  await page.getByRole("link", { name: "Profile" }).waitFor();
  expect(await page.getByRole("link", { name: "Review queue" }).count()).toBe(0);
  await page.goto("/admin");
  await page.getByRole("alert").waitFor();

  const { KEYHUB_ADMIN_EMAIL = "", KEYHUB_DEMO_PASSWORD = "" } = stack.env;
  await continueAs(page, await account(KEYHUB_ADMIN_EMAIL, KEYHUB_DEMO_PASSWORD));
  await page.getByRole("link", { name: "Review queue" }).click();
  const log = (action: string) =>
    page
      .getByRole("region", { name: "What was done" })
      .getByRole("listitem")
      .filter({ hasText: new RegExp(`^${action}`) })
      .first();
  const entry = page.getByRole("article", { name: "Carte de score" });
  await entry.getByText("It is mine.").waitFor();
  await entry.getByRole("link", { name: "https://example.org/card" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await entry.getByRole("button", { name: "Uphold" }).click();
  await entry.getByText("hidden (").waitFor();
  await log("hidden").getByText("Carte de score · @camille-roux").waitFor();
  expect(await log("hidden").getByRole("link").count()).toBe(0);
  await entry.getByText("What is in it").click();
  await entry.getByText('"payload"').waitFor();
  page.once("dialog", (dialog) => void dialog.accept());
  await entry.getByRole("button", { name: "Ban the creator" }).click();
  await page.getByText("Banned.").waitFor();
  await log("banned").getByText("@camille-roux").waitFor();
  expect(await log("banned").textContent()).toMatch(/ by @[\w-]+@camille-roux/);
  await page.getByRole("button", { name: "Unban", exact: true }).click();
  await page.getByText("Unbanned.").waitFor();
  expect((await fetch(`${stack.url}/hub/components/carte-de-score`)).status).toBe(404);
  await entry.getByRole("button", { name: "Restore" }).click();
  await page.getByText("Restored.").waitFor();
  await log("restored").getByRole("link", { name: "Carte de score" }).waitFor();
  expect((await fetch(`${stack.url}/hub/components/carte-de-score`)).status).toBe(200);
  await finish(visitor);
});

test("signing out works from the workspace, also when its answer takes a while", async () => {
  const visitor = await member();
  const { page } = visitor;
  await page.route("**/auth/v1/logout*", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 700));
    await route.continue();
  });
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByText("in this browser only").first().waitFor();
  expect(new URL(page.url()).pathname).toBe("/workspace");
  expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => /auth/.test(key)))).toEqual([]);
  await page.unroute("**/auth/v1/logout*");
  await finish(visitor);
});

test("a long random word that no name explains is pointed out before publishing, and is no obstacle", async () => {
  const visitor = await member("/favicon.svg");
  const { page } = visitor;
  const nodes = [
    {
      id: "1",
      type: "Loader",
      position: { x: 0, y: 0 },
      data: { widgets_values: ["q7Zt4mXw9Lc2Vb6NkR8sPd3F"] },
    },
  ];
  await visitor.hub.workspace("orchestration").create({ name: "A graph", nodes });
  await page.goto("/workspace");
  await page.getByRole("button", { name: "Share A graph" }).click();
  await page.getByLabel(/^Description/).fill("A graph with a widget.");
  await page.getByRole("button", { name: "Look at what will be public" }).click();
  await page.getByText("each has a long random word").waitFor();
  await page.locator("dialog .note code", { hasText: "widgets_values" }).waitFor();
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByText("Published.").waitFor();
  await finish(visitor);
});

test("the next version of a kit keeps its items", async () => {
  const visitor = await member("/favicon.svg");
  const { page, hub } = visitor;
  const part = await hub.workspace("template").create({ name: "A part of the kit", content: "Say hello." });
  const kit = await hub.workspace("orchestration").create({ name: "A whole kit" });
  await page.goto(`/workspace/orchestration/${kit.id}`);
  const share = page.getByRole("button", { name: "Share" });
  const item = page.getByRole("checkbox", { name: "A part of the kit" });
  await share.click();
  expect(await item.isChecked()).toBe(false);
  await page.getByRole("button", { name: "Close" }).click();
  const { asset } = await hub.publish({
    ...{ asset_type: "orchestration", ref_id: kit.id, title: "A whole kit", description: "Two in one." },
    ...{ license: "platform-free", items: [{ asset_type: "template", ref_id: part.id }] },
  });
  await share.click();
  await page.getByText("becomes its next version").waitFor();
  expect(await item.isChecked()).toBe(true);
  await page.getByLabel(/^Description/).fill("Still two in one.");
  await page.getByRole("button", { name: "Look at what will be public" }).click();
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByText("Published.").waitFor();
  const next = await hub.asset(asset.id);
  expect("items" in next && next.items.map(({ title }) => title)).toEqual(["A part of the kit"]);
  await finish(visitor);
});

test("a sign-in that fails says why, and leads back to no other site", async () => {
  const tricked = await visit("/login?returnTo=https://evil.example");
  const { page } = tricked;
  await page.getByLabel("E-mail").fill("nobody@example.org");
  await page.getByLabel("Password").fill("a wrong password");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("alert").waitFor();
  expect(await violations(page)).toEqual([]);
  const { KEYHUB_DEMO_EMAIL = "", KEYHUB_DEMO_PASSWORD = "" } = stack.env;
  // tests/unit/web/return-path.test.ts has the other forms of foreign addresses.
  await page.getByLabel("E-mail").fill(KEYHUB_DEMO_EMAIL);
  await page.getByLabel("Password").fill(KEYHUB_DEMO_PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL(`${stack.url}/hub`);
  await finish(tricked);
});
