import type { Page } from "playwright-core";
import postgres from "postgres";
import { expect, test } from "vitest";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { COLOUR_RULES, stack, violations, visit } from "../fixture.ts";
import { account, finish, signIn } from "../people.ts";

/** Checks the page; in the long form in both themes. */
async function look(page: Page, what: string): Promise<void> {
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  expect(await violations(page), `${what} light`).toEqual([]);
  if (!LONG_TESTS) return;
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await violations(page, COLOUR_RULES), `${what} dark`).toEqual([]);
}

async function askForMail(page: Page, email: string): Promise<string> {
  await page.goto("/login");
  await page.getByRole("button", { name: "Forgot your password?" }).click();
  await page.getByLabel("E-mail").fill(email);
  await page.getByRole("button", { name: "Send the mail" }).click();
  const note = page.getByText("If this address has an account");
  await note.waitFor();
  return (await note.textContent()) ?? "";
}

/** Returns the address in the mail. The local stack sends no mail, so the address is made from the token in the database. */
async function linkFor(email: string): Promise<string> {
  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => {} });
  try {
    const [user] = await sql<{ token: string }[]>`
      select recovery_token as token from auth.users where email = ${email}`;
    const back = encodeURIComponent(`${stack.url}/login/new-password`);
    return `/auth/v1/verify?token=${user?.token}&type=recovery&redirect_to=${back}`;
  } finally {
    await sql.end();
  }
}

test("a forgotten password: the words are the same for every address, and the link of the mail sets a new password once", async () => {
  const { email } = await account();
  const visitor = await visit("/login");
  const { page } = visitor;
  const said = await askForMail(page, "nobody-has-this@example.org");
  await look(page, "the form for the mail");
  const sent = page.waitForRequest("**/auth/v1/recover*");
  expect(await askForMail(page, email)).toBe(said);
  expect(new URL((await sent).url()).searchParams.get("redirect_to")).toBe(`${stack.url}/login/new-password`);
  // Auth refuses a second mail within a minute, and sometimes cannot send a mail; but it says so only for an address that has an account.
  const refusals = [
    [429, "over_email_send_rate_limit"],
    [500, "unexpected_failure"],
  ] as const;
  for (const [status, error_code] of LONG_TESTS ? refusals : refusals.slice(0, 1)) {
    await page.route("**/auth/v1/recover*", (route) =>
      route.fulfill({ status, json: { code: status, error_code, msg: "Only for accounts" } }),
    );
    expect(await askForMail(page, email), error_code).toBe(said);
    await page.unroute("**/auth/v1/recover*");
  }
  await page.route("**/auth/v1/recover*", (route) => route.abort());
  await page.getByRole("button", { name: "Send the mail" }).click();
  await page.getByRole("alert").getByText("could not be reached").waitFor();
  await page.unroute("**/auth/v1/recover*");

  const link = await linkFor(email);
  await page.goto(link);
  await page.getByRole("heading", { name: "Set a new password" }).waitFor();
  expect(await page.getByLabel("E-mail").inputValue()).toBe(email);
  expect(page.url()).not.toContain("access_token");
  await look(page, "the form for the password");
  await page.getByLabel("New password").fill("another password of a test");
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByRole("heading", { name: "The new password is set" }).waitFor();
  if (LONG_TESTS) await look(page, "done");
  await page.goto("/workspace");
  const signOut = page.getByRole("button", { name: "Sign out" });
  await signOut.click();
  await signOut.waitFor({ state: "detached" });
  await signIn(page, email, "another password of a test", "/workspace");
  await page.goto(link);
  await page.getByRole("heading", { name: "This link does not work any more" }).waitFor();
  if (LONG_TESTS) await look(page, "an old link");
  visitor.complaints = visitor.complaints.filter((one) => !/ERR_FAILED|status of 500/.test(one));
  await finish(visitor);
});
