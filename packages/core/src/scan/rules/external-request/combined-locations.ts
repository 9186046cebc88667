import { ALL_COOKIES, hasAddressWithoutUse } from "../common/source-text.ts";
import type { Rule } from "../rule.ts";

/** Private data of the user: cookies, storage, secret fields and copied text. */
const PRIVATE_DATA =
  /\bcookie\b|(?:local|session)Storage|cookieStore|indexedDB|clipboard\.read|credentials\.get|type=\{?["'`]password/;

/** Requests that are a finding only in combination with another location of the file. */
export const combinedLocations: Rule = {
  id: "external-request",
  severity: "medium",
  onEnd({ collected, source, report }) {
    if (collected.loads.length > 0 && PRIVATE_DATA.test(source))
      for (const node of collected.loads) report("external-request", "medium", node);
    if (collected.requests.length > 0 && (ALL_COOKIES.test(source) || hasAddressWithoutUse(source)))
      for (const node of collected.requests) report("external-request", "medium", node);
  },
};
