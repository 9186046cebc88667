import { expect, test } from "vitest";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { visit } from "../fixture.ts";
import { member } from "../people.ts";

test("what a page of members could not load is said with the request's id, and comes with the next try", async () => {
  const { page, close } = await member("/favicon.svg");
  const items = "**/rest/v1/prompt_templates*";
  await page.route(items, (route) =>
    route.fulfill({
      status: 503,
      headers: { "Access-Control-Expose-Headers": "X-Request-Id", "X-Request-Id": "req-of-a-test" },
      json: { code: "PGRST002", message: "no connection", details: null, hint: null },
    }),
  );
  await page.goto("/workspace");
  const alert = page.getByRole("alert");
  await alert.getByText("Request req-of-a-test.").waitFor();
  await page.unroute(items);
  await alert.getByRole("button", { name: "Try again" }).click();
  await page.getByText("None yet.").first().waitFor();
  expect(await alert.count()).toBe(0);

  const pages = [
    ["/workspace/listings", "hub_assets"],
    ["/workspace/template/00000000-0000-4000-8000-000000000000", "prompt_templates"],
    ["/workspace/stars", "hub_stars"],
    ["/workspace/following", "hub_follows"],
    ["/workspace/profile", "hub_profiles"],
  ];
  for (const [path, table] of LONG_TESTS ? pages : pages.slice(0, 2)) {
    await page.route(`**/rest/v1/${table}*`, (route) => route.abort());
    await page.goto(path ?? "");
    await alert.getByText("could not be reached").waitFor();
    await alert.getByRole("button", { name: "Try again" }).waitFor();
    await page.unroute(`**/rest/v1/${table}*`);
    // The page tries again without a press when the connection is back.
    await page.evaluate(() => dispatchEvent(new Event("online")));
    await alert.waitFor({ state: "detached" });
  }

  // The connection may be back at the very moment at which the page shows the failure. Then the page also tries again.
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (!document.querySelector('[role="alert"] button')) return;
      observer.disconnect();
      dispatchEvent(new Event("online"));
    }).observe(document, { childList: true, subtree: true });
  });
  let aborted = false;
  await page.route("**/rest/v1/hub_profiles*", (route) => {
    if (aborted) return route.continue();
    aborted = true;
    return route.abort();
  });
  await page.goto("/workspace/profile");
  await page.getByLabel("User name").waitFor();
  expect(await alert.count()).toBe(0);

  // A refusal that does not end by waiting has no button to try again.
  await page.goto("/admin");
  await alert.waitFor();
  expect(await alert.getByRole("button").count()).toBe(0);
  await close();
});

test("a page says that it is offline, and an import that failed is tried again", async () => {
  const { page, close } = await visit("/hub/templates/clear-meeting-minutes");
  const messages = page.locator("#messages");
  // This click loads the code of the import, before the browser goes offline.
  await page.route("**/functions/v1/hub-import/**", (route) => route.abort());
  await page.getByRole("link", { name: "Use this", exact: true }).click();
  await messages.getByText("could not be reached").waitFor();
  await page.context().setOffline(true);
  await messages.getByText("You are offline. What you see may be old").waitFor();
  await messages.getByRole("button", { name: "Try again" }).click();
  await messages.getByText("Nothing was changed").waitFor();
  const notices = page.getByText("You are offline").filter({ visible: true });
  expect(await notices.count()).toBe(1);
  // The message of the next failure replaces this one. When no failure is left, the offline notice returns.
  await notices.evaluate((one) => one.setAttribute("id", "earlier"));
  await page.getByRole("link", { name: "Use this", exact: true }).click();
  await page.locator("#earlier").waitFor({ state: "detached" });
  await messages.getByText("Nothing was changed").waitFor();
  expect(await notices.count()).toBe(1);
  const failed = await notices.elementHandle();
  await failed?.evaluate((one) => one.remove());
  await messages.getByText("You are offline. What you see may be old").waitFor();
  expect(await notices.count()).toBe(1);
  await page.getByRole("link", { name: "Use this", exact: true }).click();
  await messages.getByText("Nothing was changed").waitFor();
  await page.context().setOffline(false);
  await page.unroute("**/functions/v1/hub-import/**");
  await messages.getByText("What you see may be old").waitFor({ state: "detached" });
  await messages.getByRole("button", { name: "Try again" }).click();
  await messages.getByRole("link", { name: "Open", exact: true }).click();
  await page.getByLabel("Name", { exact: true }).waitFor();

  // "Run preview" loads a part of the page, which cannot be loaded now.
  await page.goto("/hub/components/json-tree");
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "Run preview" }).click();
  await messages.getByRole("button", { name: "Load the page again" }).waitFor();
  expect(await notices.count()).toBe(1);

  // A form shows its failure in its own place.
  await page.context().setOffline(false);
  await page.goto("/login");
  await page.getByLabel("E-mail").fill("ada@example.org");
  await page.getByLabel("Password").fill("a password");
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("alert").getByText("You are offline").waitFor();
  expect(await notices.count()).toBe(1);
  await close();
});
