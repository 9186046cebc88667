import postgres from "postgres";
import { expect, test } from "vitest";
import { makeAsset } from "../../support/hub.ts";
import { stack, violations } from "../fixture.ts";
import { finish, member } from "../people.ts";

test("a member changes the profile, is told what does not do, and the creator's page follows", async () => {
  const visitor = await member("/workspace/profile");
  const { page } = visitor;
  const username = page.getByLabel("User name");
  const before = await username.inputValue();
  const save = page.getByRole("button", { name: "Save" });
  await username.fill("Ada_Lindqvist");
  await save.click();
  await page.getByRole("alert").getByText("The user name is taken").waitFor();
  expect(await username.getAttribute("aria-invalid")).toBe("true");
  expect(await violations(page)).toEqual([]);
  await username.fill("no spaces");
  await page.getByLabel("Picture").fill("http://a.example/not-https.png");
  await save.click();
  await page.getByText("It must be 3 to 30 letters").waitFor();
  await page.getByText("It must be an https address").waitFor();

  await username.fill("grace-of-tests");
  await page.getByLabel("Shown name").fill("Grace <b>Testing</b> جريس");
  await page.getByLabel("Picture").fill("");
  await save.click();
  await page.locator("#messages").getByText("Saved.").waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  await page.getByRole("link", { name: "your page" }).click();
  await page.getByRole("heading", { name: "Grace <b>Testing</b> جريس", level: 1 }).waitFor();
  const former = await fetch(`${stack.url}/hub/creators/${before}`, { redirect: "manual" });
  expect([former.status, former.headers.get("location")]).toEqual([301, "/hub/creators/grace-of-tests"]);
  await finish(visitor);
});

test("a listing whose item was deleted says that it cannot get a new version, and offers a copy", async () => {
  const visitor = await member("/favicon.svg");
  const { page, id: userId } = visitor;
  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => {} });
  try {
    const { refId } = await makeAsset(sql, { creator: userId, slug: "orphan", title: "An orphan" });
    await sql`delete from public.prompt_templates where id = ${refId}`;
  } finally {
    await sql.end();
  }
  await page.goto("/workspace/listings");
  await page.getByRole("link", { name: "New version" }).click();
  await page.getByRole("heading", { name: "“An orphan” cannot get a new version" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Copy it into the workspace" }).click();
  await page.getByLabel("Name", { exact: true }).waitFor();
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("An orphan");
  // The page of an item that does not exist shows a message in place of the editor.
  await page.goto("/workspace/template/00000000-0000-4000-8000-000000000000");
  await page.getByRole("heading", { name: "This item is not in your workspace" }).waitFor();
  await finish(visitor);
});
