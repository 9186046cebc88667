import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Visit } from "./fixture.ts";

const PASSWORD = "a password of a test";

export async function signUp(page: Page, email = `${randomUUID()}@example.org`): Promise<string> {
  await page.goto("/login?returnTo=/workspace");
  await page.getByRole("button", { name: "I am new here" }).click();
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Make the account" }).click();
  await page.waitForURL((url) => url.pathname === "/workspace");
  return email;
}

export async function signIn(page: Page, email: string, password: string, back: string): Promise<void> {
  await page.goto(`/login?returnTo=${encodeURIComponent(back)}`);
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL((url) => url.pathname === back);
}

/** Checks that the policy refused nothing and no script failed. */
export async function finish({ complaints, close }: Visit): Promise<void> {
  expect(complaints.filter((one) => !/the server responded with a status of 4\d\d/.test(one))).toEqual([]);
  await close();
}
