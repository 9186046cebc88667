import { createHub, type Hub } from "@keyhub/hub/source";
import type { SupabaseClient } from "@supabase/supabase-js";

/** The shortest password, in characters: Supabase's default for `minimum_password_length`, which this repository does not set. */
export const SHORTEST_PASSWORD = 6;

/** The key of the session in localStorage. */
export const STORAGE_KEY = "keyhub-session";

export function setting(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="keyhub-${name}"]`)?.content ?? "";
}

/** Returns whether localStorage has a session. This needs no Supabase client, so pages of guests do not load it. */
export function hasSession(): boolean {
  return localStorage.getItem(STORAGE_KEY) !== null;
}

/** Returns the hub with the rights of a guest. */
export function guestHub(): Hub {
  return createHub({ url: setting("api"), key: setting("key") });
}

export interface SignedIn {
  id: string;
  email: string;
  hub: Hub;
  /** Returns the current access token; null when the session has ended. */
  token: () => Promise<string | null>;
  auth: SupabaseClient["auth"];
}

let client: Promise<SupabaseClient> | null = null;

/** Returns Supabase's client; it is loaded when it is first needed. */
export function supabase(): Promise<SupabaseClient> {
  client ??= import("@supabase/supabase-js").then(({ createClient }) =>
    createClient(setting("api"), setting("key"), { auth: { storageKey: STORAGE_KEY } }),
  );
  return client;
}

/** Returns the signed-in member; null for a guest, and when the session has ended elsewhere. */
export async function member(): Promise<SignedIn | null> {
  if (!hasSession()) return null;
  const connected = await supabase();
  const { auth } = connected;
  const { data, error } = await auth.getSession();
  // The auth server did not answer, so the session may be valid. If the page treated the member as a guest, all items would seem to be
  // lost.
  if (error?.name === "AuthRetryableFetchError") throw error;
  const user = data.session?.user;
  if (!user) return null;
  // The hub sends its own requests, because errors of Supabase's client have no headers, and so no request id.
  const token = async () => (await auth.getSession()).data.session?.access_token ?? null;
  const hub = createHub({ url: setting("api"), key: setting("key"), token });
  return { id: user.id, email: user.email ?? "", hub, token, auth };
}

/** Returns the path to return to after signing in: `returnTo` if it is a path of this site, or else the hub. */
export function returnPath(search: string): string {
  const wanted = new URLSearchParams(search).get("returnTo") ?? "";
  // A second slash or a backslash would name another host.
  return /^\/(?![/\\])[^\s\\]*$/.test(wanted) ? wanted : "/hub";
}

export function loginPath(back: string): string {
  return `/login?returnTo=${encodeURIComponent(back)}`;
}

/** The text for a guest who wants to publish. */
export const PUBLISHING = "Sign in to publish. Your items in this browser come with you.";

const SIGN_IN_REASON = "keyhub-note";

/** Goes to the page for signing in, which shows the reason. */
export function askToSignIn(why: string, back: string): void {
  sessionStorage.setItem(SIGN_IN_REASON, why);
  location.assign(loginPath(back));
}

/** Returns the reason why the user was asked to sign in, and forgets the reason, so that it is shown only once. */
export function takeSignInReason(): string {
  const note = sessionStorage.getItem(SIGN_IN_REASON) ?? "";
  sessionStorage.removeItem(SIGN_IN_REASON);
  return note;
}
