import { randomUUID } from "node:crypto";
import { createClient } from "@supabase/supabase-js";
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import { STORAGE_KEY } from "../../packages/web/src/app/session.ts";
import { stack, type Visit, visit } from "./fixture.ts";

const PASSWORD = "a password of a test";

export interface Member extends Visit {
  id: string;
  email: string;
}

/** Opens a path as a member with a new account, who has signed in before. */
export async function member(path = "/workspace", options: BrowserContextOptions = {}): Promise<Member> {
  return signedIn(`${randomUUID()}@example.org`, PASSWORD, path, { isNew: true, ...options });
}

/** Opens a path as somebody who has signed in before. The session is stored as the form of /login stores it. */
export async function signedIn(
  email: string,
  password: string,
  path: string,
  { isNew = false, ...options }: BrowserContextOptions & { isNew?: boolean } = {},
): Promise<Member> {
  const { session, user } = await sessionOf(email, password, isNew);
  const stored = { name: STORAGE_KEY, value: JSON.stringify(session) };
  const storageState = { cookies: [], origins: [{ origin: stack.url, localStorage: [stored] }] };
  return { ...(await visit(path, { storageState, ...options })), id: user?.id ?? "", email };
}

/** Makes an account, or signs in to one if it is not new, without opening a page. */
export async function sessionOf(email = `${randomUUID()}@example.org`, password = PASSWORD, isNew = true) {
  const { SUPABASE_URL = "", SUPABASE_PUBLISHABLE_KEY = "" } = stack.env;
  const { auth } = createClient(SUPABASE_URL, SUPABASE_PUBLISHABLE_KEY, { auth: { persistSession: false } });
  const { data, error } = await (isNew
    ? auth.signUp({ email, password })
    : auth.signInWithPassword({ email, password }));
  if (error) throw error;
  return data;
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
export async function finish({ complaints, close }: Visit): Promise<void> {
  expect(complaints.filter((one) => !/the server responded with a status of 4\d\d/.test(one))).toEqual([]);
  await close();
}
