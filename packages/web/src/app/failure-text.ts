import { type HubProblem, problemOf } from "@keyhub/hub/source";

/** The text about a failure for the user, and whether the same action may work a little later. */
export interface ShownFailure {
  text: string;
  canWait: boolean;
}

/** A failure that the page itself has found; its message is written for users. */
export class PageError extends Error {}

export async function shownFailureOf(error: unknown): Promise<ShownFailure> {
  if (error instanceof PageError) return { text: error.message, canWait: false };
  // A DOMException of a request is an AbortError or a TimeoutError. Any other DOMException comes from the browser's storage.
  if (error instanceof DOMException && error.name !== "AbortError" && error.name !== "TimeoutError")
    return { text: `The browser could not keep it: ${error.message}`, canWait: false };
  const problem = await problemOf(error);
  return { text: sentence(problem), canWait: canWait(problem) };
}

/** Returns a text with the problem, the faulty fields, the time to try again, and the id for the operator. */
export async function failureText(error: unknown): Promise<string> {
  return (await shownFailureOf(error)).text;
}

/** Returns whether waiting may help: the server did not answer, refused for now (429), or has failed (500 or higher). */
function canWait({ code, status }: HubProblem): boolean {
  return code === "network" || code === "timeout" || status === 429 || status >= 500;
}

/** Texts for users, by the code of the problem. They replace the API's own texts, which are written for programmers. */
const FOR_PEOPLE: Partial<Record<string, string>> = {
  already_reported: "You have reported this already; your first report counts.",
  details_required: "Please describe what is wrong.",
  own_asset: "This is your own listing.",
  validation_failed: "This cannot be accepted.",
  license_incompatible: "The licenses of its sources do not allow this license; choose another one.",
  account_required: "Sign in to do this.",
  permission_denied:
    "You may not do this. If you have signed out elsewhere, load the page again and sign in.",
  not_owner: "This belongs to somebody else.",
  organization_not_found: "There is no such organization, or you do not belong to it.",
  member_not_found: "This person does not belong to the organization any more.",
  role_required: "Your role in the organization does not allow this.",
  last_owner: "An organization needs an owner: make another member an owner first.",
  slug_taken: "This short name is taken, or looks like another one. Choose another one.",
  invitation_not_found:
    "Nobody can join by this link: it was used up or taken back, it is too old, or a part of it is missing. Ask for another one.",
  other_address:
    "This invitation is for another e-mail address. Sign out, then sign in with the account of that address.",
  duplicate_content:
    "Somebody else has published the same content, under a license that requires attribution. Import that listing, and publish your copy of it.",
  organization_only:
    "A part of it comes from the shelf of an organization. Share it there, or leave that part out.",
  already_public:
    "Everybody can see this listing now. Unpublish it under My listings first; then it can be shared with an organization.",
  hidden_by_hub: "The admins of the hub have hidden it. Only they decide about it.",
};

export function sentence({ code, title, detail, errors, retryAfter, requestId, more }: HubProblem): string {
  if (code === "network" && !navigator.onLine)
    return "You are offline. Nothing was changed; try again when there is a connection.";
  // The browser's own message about a failed request is written for programmers, so another text replaces it.
  const said = code === "network" ? "Check your connection, or try again in a minute" : detail;
  return [
    FOR_PEOPLE[code] ?? `${said && said !== title ? `${title}: ${said}` : title}.`.replace(/\.\.$/, "."),
    // The faults of organization_only are left out: their paths within the request mean nothing to users.
    ...(code === "organization_only" ? [] : errors)
      .slice(0, 5)
      .map(({ path, message }) => `${path}: ${message}.`),
    code === "duplicate_content" && typeof more.slug === "string" ? `Search for “${more.slug}”.` : "",
    retryAfter === undefined ? "" : `Try again in ${Math.ceil(retryAfter)} seconds.`,
    requestId === undefined ? "" : `Request ${requestId}.`,
  ]
    .filter(Boolean)
    .join(" ");
}
