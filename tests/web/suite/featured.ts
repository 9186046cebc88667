import { expect, test } from "vitest";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { stack, violations } from "../fixture.ts";
import { finish, signedIn } from "../people.ts";

test("an admin takes listings into the collection, moves them and takes them out; the landing page follows", async () => {
  const { KEYHUB_ADMIN_EMAIL = "", KEYHUB_DEMO_PASSWORD = "" } = stack.env;
  const visitor = await signedIn(KEYHUB_ADMIN_EMAIL, KEYHUB_DEMO_PASSWORD, "/admin");
  const { page } = visitor;
  const section = page.getByRole("region", { name: "Featured on the landing page" });
  const order = () => section.locator("ol a").allTextContents();
  await section.locator("ol a").first().waitFor();
  const before = await order();
  const field = section.getByRole("searchbox");
  // The field accepts an address that is copied from a page.
  await field.fill(`${stack.url}/hub/ai-presets/strict-json?from=chat`);
  await section.getByRole("button", { name: "Find" }).click();
  await section.getByRole("button", { name: "Feature Strict JSON", exact: true }).click();
  await section.getByRole("button", { name: "Move Strict JSON up" }).waitFor();
  expect(await order()).toEqual([...before, "Strict JSON"]);
  if (LONG_TESTS) expect(await violations(page)).toEqual([]);
  await section.getByRole("button", { name: "Move Strict JSON up" }).click();
  await page.getByText("Moved.").waitFor();
  expect(await order()).toEqual([...before.slice(0, -1), "Strict JSON", before.at(-1)]);
  const landing = await (await fetch(`${stack.url}/hub`)).text();
  expect(landing.indexOf(">Strict JSON<")).toBeGreaterThan(0);
  // The landing page shows five listings, and the listing that Strict JSON overtook is no longer among them.
  expect(landing.indexOf(">Strict JSON<")).toBeGreaterThan(landing.indexOf(`>${before.at(-2)}<`));
  // The field also accepts words to search for.
  await field.fill("meeting minutes");
  await section.getByRole("button", { name: "Find" }).click();
  await section
    .getByRole("list", { name: "Found" })
    .getByText("Clear meeting minutes", { exact: true })
    .waitFor();
  await section.getByRole("button", { name: "Take out Strict JSON" }).click();
  await section.getByRole("button", { name: "Take out Strict JSON" }).waitFor({ state: "detached" });
  expect(await order()).toEqual(before);
  await finish(visitor);
});
