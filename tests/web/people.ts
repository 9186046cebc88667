import { randomUUID } from "node:crypto";
import { createClient } from "@supabase/supabase-js";
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import { createHub, type Hub } from "../../packages/hub/src/index.ts";
import { STORAGE_KEY } from "../../packages/web/src/app/session.ts";
import { stack, type Visit, visit } from "./fixture.ts";

const PASSWORD = "a password of a test";

export interface Account {
  id: string;
  email: string;
  /** The calls of the hub with the rights of this account, for state that a test needs and does not test. */
  hub: Hub;
  /** The session, as the form of /login stores it in localStorage. */
  stored: { name: string; value: string };
}

export interface Member extends Visit, Account {}

/** Makes an account, or signs in to the given one, without a page. */
export async function account(email = `${randomUUID()}@example.org`, password?: string): Promise<Account> {
  const { SUPABASE_URL: url = "", SUPABASE_PUBLISHABLE_KEY: key = "" } = stack.env;
  const { auth } = createClient(url, key, { auth: { persistSession: false } });
  const { data, error } = await (password === undefined
    ? auth.signUp({ email, password: PASSWORD })
    : auth.signInWithPassword({ email, password }));
  if (error) throw error;
  const stored = { name: STORAGE_KEY, value: JSON.stringify(data.session) };
  const hub = createHub({ url, key, token: data.session?.access_token ?? null });
  return { id: data.user?.id ?? "", email, hub, stored };
}

/** Opens a path as a member with a new account, who has signed in before. */
export async function member(path = "/workspace", options: BrowserContextOptions = {}): Promise<Member> {
  const who = await account();
  return { ...(await visit(path, { ...options, stored: who.stored })), ...who };
}

/** Opens a path as somebody who has signed in before. */
export async function signedIn(
  email: string,
  password: string,
  path: string,
  options: BrowserContextOptions = {},
): Promise<Member> {
  const who = await account(email, password);
  return { ...(await visit(path, { ...options, stored: who.stored })), ...who };
}

/** Continues in a browser as another person, who has signed in before, and opens a path. What a guest keeps in the browser stays there. */
export async function continueAs(page: Page, { stored }: Account, path = "/workspace"): Promise<void> {
  await page.evaluate(({ name, value }) => localStorage.setItem(name, value), stored);
  await page.goto(path);
}

/** Makes an account on the page for it, as somebody does who was a guest on this page. */
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

/** Checks that the content security policy refused nothing and that no script failed. */
export async function finish({ complaints, release }: Visit): Promise<void> {
  expect(complaints.filter((one) => !/the server responded with a status of 4\d\d/.test(one))).toEqual([]);
  await release();
}
