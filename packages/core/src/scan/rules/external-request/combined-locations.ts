import { COOKIES, hasAdrift } from "../common/source-text.ts";
import type { Rule } from "../rule.ts";

/** Private data of the user: cookies, storage, secret fields and copied text. */
const KEPT =
  /\bcookie\b|(?:local|session)Storage|cookieStore|indexedDB|clipboard\.read|credentials\.get|type=\{?["'`]password/;

/** Requests that are a finding only in combination with another location of the file. */
export const traces: Rule = {
  id: "external-request",
  severity: "medium",
  onEnd({ seen, source, report }) {
    if (seen.loads.length > 0 && KEPT.test(source))
      for (const node of seen.loads) report("external-request", "medium", node);
    if (seen.requests.length > 0 && (COOKIES.test(source) || hasAdrift(source)))
      for (const node of seen.requests) report("external-request", "medium", node);
  },
};
