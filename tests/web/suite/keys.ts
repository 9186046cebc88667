import { expect, test } from "vitest";
import { withDatabase } from "../../../packages/local/src/index.ts";
import { stack, violations } from "../fixture.ts";
import { finish, member } from "../people.ts";

const KEYS = ["sk-proj-PLANTED000000000000aaaa", "sk-proj-PLANTED000000000000bbbb"];

async function call(name: string, token: string, body: object) {
  const response = await fetch(`${stack.url}/functions/v1/${name}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return (await response.json()) as { api_key: string; lease_id: string };
}

test("a member adds keys that only this browser has seen, issues a token, sees what agents do, and tends the keys", async () => {
  const visitor = await member("/favicon.svg");
  const { page } = visitor;
  const sent: string[] = [];
  page.on("request", (request) => sent.push(request.postData() ?? ""));
  await page.goto("/workspace");
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  await page.getByRole("heading", { name: "Three steps to the first call" }).waitFor();
  expect(await page.locator("pre").first().textContent()).toContain(
    `${stack.url}/functions/v1/keyhub-gateway`,
  );
  expect(await violations(page)).toEqual([]);

  await page.getByText("Add keys", { exact: true }).click();
  const field = page.getByLabel(/^Keys, one a line/);
  await field.fill(`${KEYS[0]}\nsecond=${KEYS[1]}\nhas two words\n${KEYS[0]}\n`);
  await page.getByLabel(/^Provider/).fill("OpenAI");
  await page.getByRole("button", { name: "Seal and add" }).click();
  const fates = page.locator(".fates li");
  await fates.nth(3).waitFor();
  expect(await fates.allTextContents()).toEqual([
    "Line 1: added as “openai aaaa”",
    "Line 2: added as “second”",
    "Line 3: holds blanks, commas or quotes; give the key alone",
    "Line 4: is the same key as line 1",
  ]);
  // The lines that were not added are still there.
  expect(await field.inputValue()).toBe(`has two words\n${KEYS[0]}`);
  await page.getByRole("button", { name: "Seal and add" }).click();
  await fates.getByText("the pool has this key already").waitFor();
  for (const key of KEYS) for (const body of sent) expect(body).not.toContain(key);

  await page.getByLabel("Name of a new agent").fill("night <b>shift</b>");
  await page.getByRole("button", { name: "Issue a token" }).click();
  const token = (await page.locator("code.token").textContent()) ?? "";
  expect(token).toMatch(/^kh_agent_/);
  const leased = await call("get-active-key", token, { provider: "openai", model: "pro" });
  expect(KEYS).toContain(leased.api_key);
  await call("set-key-state", token, {
    lease_id: leased.lease_id,
    status: "fail",
    error_code: 429,
    retry_after: 600,
  });
  const other = await call("get-active-key", token, { provider: "openai" });
  await call("set-key-state", token, {
    lease_id: other.lease_id,
    status: "fail",
    error_code: 429,
    retry_after: 600,
  });

  // The page refreshes itself.
  await page.getByText("rests for").first().waitFor();
  await page.getByText(/cooling down \d+ min/).waitFor();
  await page.getByRole("cell", { name: "rate limited 429" }).first().waitFor();
  await page.getByText(/last used/).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByLabel("Outcome").selectOption("success");
  await page.getByText("None.", { exact: true }).waitFor();
  await page
    .getByRole("button", { name: /^Reset / })
    .first()
    .click();
  await page.locator("#messages").getByText("It can be leased again.").waitFor();
  await page.getByRole("button", { name: "Disable second" }).click();
  await page.getByRole("button", { name: "Enable second" }).waitFor();
  page.on("dialog", (dialog) => void dialog.accept());
  await page.getByRole("button", { name: "Delete second" }).click();
  await expect.poll(() => page.getByRole("button", { name: "Delete second" }).count()).toBe(0);
  await page.getByRole("button", { name: /^Revoke night/ }).click();
  await page.getByText(/^revoked /).waitFor();

  // When the session has ended, the page says so, and the typed text stays.
  await field.fill("sk-another-key-000000000000");
  await withDatabase(stack.databaseUrl, (sql) => sql`delete from auth.sessions`.catch(() => {}));
  await page.route("**/rest/v1/rpc/add_api_key", (route) =>
    route.fulfill({ status: 401, json: { code: "PGRST301", message: "JWT expired" } }),
  );
  await page.getByRole("button", { name: "Seal and add" }).click();
  await fates.getByText(/Line 1: The credential is invalid/).waitFor();
  expect(await field.inputValue()).toBe("sk-another-key-000000000000");
  await finish(visitor);
});
