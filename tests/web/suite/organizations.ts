import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { importAsset, publish } from "../../support/hub.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { join } from "../../support/organizations.ts";
import { COLOUR_RULES, stack, type Visit, violations, visit } from "../fixture.ts";
import { account, continueAs, finish, member } from "../people.ts";

let sql: postgres.Sql;
beforeAll(() => {
  sql = postgres(stack.databaseUrl, { max: 2, onnotice: () => {} });
});
afterAll(() => sql?.end());

const NOTHING = "There is nothing here that you can see";

/** Makes the link of an invitation; returns the link. */
async function invite(page: Page): Promise<string> {
  await page.getByRole("button", { name: "Make a link" }).click();
  return (await page.locator("code.token").textContent()) ?? "";
}

/** Answers the next question of the browser; returns the question. */
const answered = (page: Page, how: "accept" | "dismiss" = "accept") =>
  page.waitForEvent("dialog").then(async (dialog) => {
    await dialog[how]();
    return dialog.message();
  });

test("an organization shares a template among its members; an outsider sees nothing; its creator publishes it for everybody", async () => {
  const ada = await member("/workspace/organizations");
  await ada.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const [name, slug] = ["Blue Heron Lab", "blue-heron-lab-2"];
  await (await account()).hub.organizations.create(name, "blue-heron-lab");
  await ada.page.getByText("You belong to none yet.").waitFor();
  await ada.page.getByLabel("Name", { exact: true }).fill(name);
  const short = ada.page.getByLabel("Short name");
  expect(await short.inputValue()).toBe("blue-heron-lab");
  const make = ada.page.getByRole("button", { name: "Make the organization" });
  await make.click();
  // The fault is shown at its field, and the typed text stays.
  await ada.page.getByText("This short name is taken").waitFor();
  expect(await short.getAttribute("aria-invalid")).toBe("true");
  expect(await short.evaluate((field) => field === document.activeElement)).toBe(true);
  await short.fill(slug);
  await make.click();
  await ada.page.waitForURL((url) => url.pathname === `/orgs/${slug}/members`);
  const [row] = await sql<{ id: string }[]>`select id from organizations where slug = ${slug}`;
  const link = await invite(ada.page);
  expect(link).toMatch(/\/workspace\/join#kh_invite_[0-9a-f]{64}$/);
  const token = link.split("#")[1] ?? "";
  await ada.page.getByRole("button", { name: "Copy the link" }).click();
  expect(await ada.page.evaluate(() => navigator.clipboard.readText())).toBe(link);

  // Ben has no account yet. He makes one on the way, and no requested address contains the token.
  const ben: Visit = await visit("/favicon.svg");
  const sent: string[] = [];
  ben.page.on("request", (request) => sent.push(request.url().replace(/#.*/, "")));
  await ben.page.goto(link);
  await ben.page.getByRole("heading", { name: `Join “${name}”?` }).waitFor();
  await ben.page.getByRole("link", { name: "Sign in to join" }).click();
  await ben.page.getByRole("button", { name: "I am new here" }).click();
  const email = `ben-${Date.now()}@example.org`;
  await ben.page.getByLabel("E-mail").fill(email);
  await ben.page.getByLabel("Password").fill("a password of a test");
  await ben.page.getByRole("button", { name: "Make the account" }).click();
  await ben.page.waitForURL((url) => url.pathname === "/workspace/join");
  await ben.page.getByRole("button", { name: "Join", exact: true }).click();
  await ben.page.waitForURL((url) => url.pathname === `/orgs/${slug}`);
  await ben.page.getByText("Nothing here yet").waitFor();
  expect(sent.filter((url) => url.includes(token))).toEqual([]);
  expect(sent.length).toBeGreaterThan(5);

  // Ben shares a template in the organization.
  const [template] = await sql<{ id: string }[]>`
    insert into prompt_templates (user_id, name, content)
    select id, 'Heron report', 'Report what {{place}} looks like.' from auth.users where email = ${email} returning id`;
  await ben.page.goto(`/workspace/template/${template?.id}`);
  await ben.page.getByRole("button", { name: "Share" }).click();
  await ben.page.getByLabel(/^Description/).fill("Reports from the lake.");
  expect(await ben.page.getByLabel("Everybody").isChecked()).toBe(true);
  await ben.page.getByLabel(`Only members of ${name}`).check();
  expect(await violations(ben.page)).toEqual([]);
  await ben.page.getByRole("button", { name: "Look at what members will see" }).click();
  await ben.page.getByText(`This is what the members of ${name} will see.`).waitFor();
  // After going back and forth, the choice is the same.
  await ben.page.getByRole("button", { name: "Back" }).click();
  expect(await ben.page.getByLabel(`Only members of ${name}`).isChecked()).toBe(true);
  await ben.page.getByRole("button", { name: "Look at what members will see" }).click();
  await ben.page.locator("dialog").getByRole("button", { name: "Share", exact: true }).click();
  await ben.page.getByRole("link", { name: "See it on the shelf" }).click();
  await ben.page.getByRole("heading", { name: "Heron report", level: 1 }).waitFor();
  const shared = new URL(ben.page.url()).pathname;
  expect(shared).toMatch(new RegExp(`^/orgs/${slug}/heron-report-[0-9a-f]{8}$`));
  await ben.page.getByText(`Only members of ${name}`).waitFor();

  // Ada finds the template, imports it, and stars it. No picture of it is requested from the public pages.
  const pictures: string[] = [];
  ada.page.on("request", (request) => pictures.push(new URL(request.url()).pathname));
  await ada.page.goto(`/orgs/${slug}`);
  const card = ada.page.locator(".card");
  await card.getByText(`Only members of ${name}`).waitFor();
  expect(await ada.page.title()).toBe(`${name} · Keyhub`);
  const field = ada.page.getByRole("searchbox", { name: "Search the shelf" });
  await field.fill("no such words");
  await field.press("Enter");
  await ada.page.getByText("Nothing found").waitFor();
  await field.fill("lake report");
  await field.press("Enter");
  await ada.page.getByRole("link", { name: "Heron report" }).waitFor();
  expect(new URL(ada.page.url()).search).toBe("?q=lake+report");
  await ada.page.locator('select[name="type"]').selectOption("component");
  await ada.page.getByText("Nothing found").waitFor();
  await ada.page.goBack();
  await card.locator('[data-action="star"][role="button"]').waitFor({ state: "attached" });
  await ada.page.getByRole("button", { name: "Use this: Heron report" }).click();
  await ada.page.locator("#messages").getByText("In your workspace").waitFor();
  const kept = ada.page.waitForResponse(
    (answer) =>
      answer.url().includes("/rest/v1/hub_stars") && answer.ok() && answer.request().method() === "POST",
  );
  await ada.page.getByRole("button", { name: "More for Heron report" }).click();
  for (const absent of ["Embed", "Copy link"]) expect(await card.getByText(absent).count()).toBe(0);
  await card.getByRole("button", { name: "Star" }).click();
  await kept;
  await ada.page.getByRole("link", { name: "Heron report" }).click();
  await ada.page.locator('[data-action="star"][aria-pressed="true"]').waitFor();
  expect(await ada.page.locator(".asset-counts").textContent()).toMatch(/1\s+star\b.*1 install/);
  // The prompt can be filled in, and downloaded as a file.
  await ada.page.getByLabel("place").fill("the reed");
  expect(await ada.page.locator("pre.prompt").textContent()).toBe("Report what the reed looks like.");
  const [download] = await Promise.all([
    ada.page.waitForEvent("download"),
    ada.page.getByRole("button", { name: "Keyhub file" }).click(),
  ]);
  expect(JSON.parse(await readFile(await download.path(), "utf8"))).toMatchObject({
    ...{ format: "keyhub.asset", title: "Heron report" },
    attribution: { parent: { title: "Heron report" } },
  });
  expect(pictures.filter((path) => path.startsWith("/hub/"))).toEqual([]);
  await ada.page.goto("/workspace/stars");
  await ada.page.getByText("shared in an organization").waitFor();
  // Ada's copy names the shelf of its original.
  await ada.page.goto("/workspace");
  expect(await ada.page.getByRole("link", { name: "original" }).getAttribute("href")).toContain(
    `/orgs/${row?.id}/`,
  );
  await ada.page.getByRole("link", { name: "original" }).click();
  await ada.page.getByRole("heading", { name: "Heron report", level: 1 }).waitFor();

  const outsider = await visit("/favicon.svg");
  const seesNothing = async (paths: string[]) => {
    const seen: (string | null)[] = [];
    for (const path of paths) {
      await outsider.page.goto(path);
      await outsider.page.getByRole("heading", { name: NOTHING }).waitFor();
      seen.push(await outsider.page.locator("main").textContent());
      expect(await outsider.page.content()).not.toContain("Heron");
    }
    expect(new Set(seen).size).toBe(1);
  };
  await seesNothing([shared, "/orgs/no-such-organization/x"]);
  await outsider.page.getByRole("link", { name: "Sign in" }).last().click();
  await outsider.page.waitForURL(/returnTo=%2Forgs%2Fno-such-organization%2Fx$/);
  await continueAs(outsider.page, await account(), "/favicon.svg");
  // One component decides for all pages of an organization.
  const more = LONG_TESTS ? [`/orgs/${slug}/members`, `/orgs/${slug}/reported`] : [];
  await seesNothing([`/orgs/${slug}`, shared, "/orgs/no-such-organization", ...more]);
  await finish(outsider);

  // Ben publishes the template for everybody, from another page.
  await ben.page.goto("/workspace");
  await ben.page.getByText(`shared in ${name}`).waitFor();
  await ben.page.getByRole("link", { name: "My listings" }).click();
  const entry = ben.page.getByRole("article", { name: "Heron report" });
  await entry.getByText(`shared in ${name}`).waitFor();
  await entry.getByRole("button", { name: "Take off the shelf" }).click();
  await entry.getByText(`private: off the shelf of ${name}`).waitFor();
  await entry.getByRole("button", { name: "Share again" }).click();
  await entry.getByRole("button", { name: "Take off the shelf" }).waitFor();
  await entry.getByRole("link", { name: "Heron report" }).click();
  await ben.page.getByRole("button", { name: "Publish for everybody" }).click();
  expect(await ben.page.getByLabel("Everybody").isChecked()).toBe(true);
  await ben.page.getByText(`those before stay for members of ${name}`).waitFor();
  expect(await ben.page.getByLabel(/^Description/).inputValue()).toBe("Reports from the lake.");
  await ben.page.getByRole("button", { name: "Look at what will be public" }).click();
  await ben.page.getByRole("button", { name: "Publish", exact: true }).click();
  await ben.page.getByRole("link", { name: "See it on the hub" }).click();
  await ben.page.waitForURL(/\/hub\/templates\/heron-report/);
  await ben.page.goto("/workspace/listings");
  await entry.getByText("everybody").waitFor();
  await entry.getByRole("button", { name: "Unpublish" }).waitFor();
  // A public listing cannot become private by accident.
  await entry.getByRole("link", { name: "New version" }).click();
  await ben.page.getByRole("button", { name: "Share" }).click();
  expect(await ben.page.getByLabel("Everybody").isChecked()).toBe(true);
  await ben.page.getByLabel(`Only members of ${name}`).check();
  await ben.page.getByRole("button", { name: "Look at what members will see" }).click();
  await ben.page.getByText("Unpublish it under My listings first").waitFor();
  // The first publication for everybody gave the template a new slug, because the old slug could reveal the title that the template had
  // on the shelf. So Ada finds nothing at the old address.
  await ada.page.goto(shared);
  await ada.page.getByText("There is nothing here that you can see").waitFor();

  // Ada made her copy from the shelf, so she may share it only on that shelf.
  await ada.page.goto("/workspace");
  await ada.page.getByRole("button", { name: "Share Heron report" }).click();
  await ada.page.getByRole("button", { name: "Look at what will be public" }).click();
  await ada.page.getByText("A part of it comes from the shelf of an organization").waitFor();
  await finish(ada);
  await finish(ben);
});

test("in an organization owners give roles and remove, invitations are taken back, and the last owner does not leave", async () => {
  const [owner, second, third] = [await member("/favicon.svg"), await account(), await account()];
  const { id, slug } = await owner.hub.organizations.create("Otter Works", "otter-works");
  await join(sql, id, second.id);
  await join(sql, id, third.id);
  const [names] = await sql<{ second: string; third: string }[]>`
    select (select username from hub_profiles where user_id = ${second.id}) as second,
      (select username from hub_profiles where user_id = ${third.id}) as third`;
  const roleOf = (username = "") => owner.page.getByLabel(`Role of @${username}`);
  const { page } = owner;
  await page.goto(`/orgs/${slug}/members`);
  await page.getByText("3 members").waitFor();
  await roleOf(names?.third).selectOption("admin");
  await page.getByText(`@${names?.third} is an admin now.`).waitFor();

  // An admin can remove members, but cannot change roles or invite admins.
  const others = await visit("/favicon.svg");
  await continueAs(others.page, third, `/orgs/${slug}/members`);
  await others.page.getByRole("button", { name: `Remove @${names?.second}` }).waitFor();
  expect(await others.page.getByRole("button", { name: /^Remove/ }).count()).toBe(1);
  expect(await others.page.getByRole("combobox", { name: /^Role of/ }).count()).toBe(0);
  expect(await others.page.locator('select[name="role"] option').allTextContents()).toEqual(["Member"]);
  await others.page.getByLabel("Name of the organization").fill("Otter Works and Sons");
  await others.page.getByRole("button", { name: "Rename" }).click();
  await others.page.getByRole("heading", { name: "Otter Works and Sons" }).waitFor();
  const asked = answered(others.page);
  await others.page.getByRole("button", { name: `Remove @${names?.second}` }).click();
  expect(await asked).toContain(`Remove @${names?.second} from “Otter Works and Sons”?`);
  await others.page.getByText("2 members").waitFor();
  await continueAs(others.page, second, `/orgs/${slug}`);
  await others.page.getByRole("heading", { name: NOTHING }).waitFor();

  // Three links must be refused: one that was taken back, one for another address, and an incomplete one.
  const first = await invite(page);
  const taken = answered(page);
  await page.getByRole("button", { name: /^Take back/ }).click();
  await taken;
  await page.getByText("taken back, made by").waitFor();
  for (const link of [first, first.slice(0, -4)]) {
    await others.page.goto("/favicon.svg");
    await others.page.goto(link);
    await others.page.getByText("Nobody can join by this link").waitFor();
  }
  await page.getByRole("button", { name: "Hide" }).click();
  await page.getByLabel(/^Only for this e-mail/).fill("somebody.else@example.org");
  const other = await invite(page);
  await page.getByText("for one address").waitFor();
  await others.page.goto("/favicon.svg");
  await others.page.goto(other);
  await others.page.getByRole("button", { name: "Join", exact: true }).click();
  await others.page.getByText("This invitation is for another e-mail address.").waitFor();

  const stays = answered(page);
  await page.getByRole("button", { name: "Leave the organization" }).click();
  await stays;
  await page.getByText("make another member an owner first").waitFor();
  await roleOf(names?.third).selectOption("owner");
  await page.getByText(`@${names?.third} is an owner now.`).waitFor();
  const leaves = answered(page);
  await page.getByRole("button", { name: "Leave the organization" }).click();
  expect(await leaves).toContain("You no longer see its shelf.");
  await page.getByText("You belong to none yet.").waitFor();
  // The last member closes the organization by leaving it.
  await continueAs(others.page, third, `/orgs/${slug}/members`);
  const closes = answered(others.page);
  await others.page.getByRole("button", { name: "Leave the organization" }).click();
  expect(await closes).toContain("You are its last member");
  await others.page.getByText("You belong to none yet.").waitFor();
  expect(await sql`select from organizations where id = ${id}`).toHaveLength(0);
  for (const one of [owner, others]) await finish(one);
});

test("an organization's shelf has older versions, previews and pages; its owners decide what members report", async () => {
  const [owner, creator] = [await member("/favicon.svg"), await account()];
  const { id, slug } = await owner.hub.organizations.create("Puffin Press", "puffin-press");
  await join(sql, id, creator.id);
  const component = {
    name: "Bar",
    source: "export default function Bar() { return <p>A bar of puffins</p>; }",
  };
  const share = { organization: slug, type: "component" as const, slug: "puffin-bar", title: "Puffin bar" };
  const { refId, asset_id, slug: listing } = await publish(sql, creator.id, { ...share, payload: component });
  await importAsset(sql, owner.id, asset_id);
  const later = { ...component, source: component.source.replace("A bar", "A newer bar") };
  await publish(sql, creator.id, {
    ...share,
    ...{ refId, payload: later, label: "1.1", changelog: "It says that it is newer." },
  });
  for (let n = 1; n <= 25; n++)
    await publish(sql, creator.id, {
      organization: slug,
      slug: `p-${n}`,
      title: `Puffin text ${n}`,
      payload: { content: `Text ${n}` },
    });
  const { page } = owner;
  await page.goto(`/orgs/${slug}`);
  await page.getByRole("button", { name: "More", exact: true }).waitFor();
  expect(await page.locator(".card").count()).toBe(24);
  await page.getByRole("button", { name: "More", exact: true }).click();
  await expect.poll(() => page.locator(".card").count()).toBe(26);
  expect(await page.getByRole("button", { name: "More", exact: true }).count()).toBe(0);

  await page.goto(`/orgs/${slug}/${listing}`);
  await page.getByText("It says that it is newer.").waitFor();
  await page.getByRole("button", { name: "Run preview" }).click();
  await page.frameLocator("iframe").getByText("A newer bar of puffins").waitFor();
  await page
    .getByRole("listitem")
    .filter({ hasText: "Version 1" })
    .getByRole("link", { name: "Look at it" })
    .last()
    .click();
  await page.getByText("This is version 1.").waitFor();
  await page.getByRole("button", { name: "Run preview" }).click();
  await page.frameLocator("iframe").getByText("A bar of puffins").waitFor();
  await page.getByRole("link", { name: "The current one is 2." }).click();
  await page.getByText("This is version 1.").waitFor({ state: "detached" });

  // The owner of a copy gets news of the newer version, with a link to the shelf.
  await page.goto("/workspace");
  const news = page.getByRole("listitem").filter({ hasText: "Puffin bar has version 1" });
  await news.getByText("is on the shelf.").waitFor();
  await news.getByText("It says that it is newer.").waitFor();
  await news.getByRole("link", { name: "version 2" }).click();
  await page.getByRole("heading", { name: "Puffin bar", level: 1 }).waitFor();

  await page.locator('[data-action="star"][role="button"]').waitFor();
  await page.getByRole("button", { name: "Report" }).click();
  const dialog = page.getByRole("dialog", { name: "Report this listing" });
  await dialog.getByLabel("Reason").selectOption("other");
  await dialog.getByRole("textbox", { name: /^Details/ }).fill("It bars too much.");
  await dialog.getByRole("button", { name: "Report" }).click();
  await page.getByText("An admin will look at it.").waitFor();
  await page.goto(`/orgs/${slug}/reported`);
  const entry = page.getByRole("article", { name: "Puffin bar" });
  await entry.getByText("It bars too much.").waitFor();
  await entry.getByLabel(/^A note for its creator/).fill("Fewer bars, please.");
  await entry.getByRole("button", { name: "Hide: Puffin bar" }).click();
  await entry.getByText("hidden by an owner or admin").waitFor();
  await continueAs(page, creator, "/workspace/listings");
  await page.getByText("Fewer bars, please.").waitFor();
  await page.getByText("hidden by moderation (by your organization)").waitFor();
  await page.goto(`/orgs/${slug}/reported`);
  await page.getByRole("alert").waitFor();
  await continueAs(page, owner, `/orgs/${slug}/reported`);
  await entry.getByRole("button", { name: "Show again: Puffin bar" }).click();
  await page.getByText("Nothing is reported or hidden.").waitFor();
  await finish(owner);
});

test("the pages of an organization are accessible and fit, in light, dark and on a phone", async () => {
  const owner = await member("/favicon.svg");
  const { page, hub } = owner;
  const { id, slug } = await hub.organizations.create("W".repeat(60), "w".repeat(40));
  const reporter = await account();
  await join(sql, id, reporter.id);
  const title = "A rather long title of what is shared ".repeat(3).trim();
  const { asset_id, slug: listing } = await publish(sql, owner.id, { organization: slug, title });
  await publish(sql, owner.id, {
    organization: slug,
    type: "ai_preset",
    title: "A preset",
    slug: "p",
    payload: { model_id: "gpt-5-mini" },
  });
  await sql`insert into hub_reports (asset_id, reporter_id, reason, details) values (${asset_id}, ${reporter.id}, 'other', 'Long.')`;
  const { token } = await hub.organizations.invite(id);
  const pages: [path: string, text: string][] = [
    ["/workspace/organizations", "New organization"],
    [`/orgs/${slug}`, "Use this"],
    [`/orgs/${slug}/${listing}`, "Keyhub file"],
    [`/orgs/${slug}/members`, "0 of 1 joined"],
    [`/orgs/${slug}/reported`, "1 open report"],
    [`/workspace/join#${token}`, "Join"],
    ["/workspace/listings", "shared in"],
    ...(LONG_TESTS ? [["/orgs/no-such-organization", NOTHING] as [string, string]] : []),
  ];
  const wrong: string[] = [];
  for (const [path, text] of pages) {
    await page.setViewportSize({ width: 1280, height: 860 });
    await page.goto(path);
    await page.getByText(text).first().waitFor();
    for (const look of ["light", "dark", "phone"] as const) {
      // Without motion, no colour is tested during a transition.
      await page.emulateMedia({ colorScheme: look === "dark" ? "dark" : "light", reducedMotion: "reduce" });
      if (look === "phone") await page.setViewportSize({ width: 390, height: 844 });
      // The elements of a phone are those of a large window.
      const isNew = look !== "phone" || LONG_TESTS;
      const found = isNew ? await violations(page, look === "dark" ? COLOUR_RULES : []) : [];
      const needs = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      wrong.push(...found.map((one) => `${look} ${path}: ${one}`));
      if (needs > 0) wrong.push(`${look} ${path}: scrolls sideways by ${needs}`);
    }
  }
  expect(wrong).toEqual([]);
  await finish(owner);
});
