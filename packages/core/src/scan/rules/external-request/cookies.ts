import { ALL_COOKIES, hasAddressWithoutUse } from "../common/source-text.ts";
import type { Rule } from "../rule.ts";

/** All cookies are read in a file that contains the address of another host without a visible use. */
export const cookies: Rule = {
  id: "external-request",
  severity: "low",
  onFile({ interpreter, source, reportText }) {
    if (!interpreter.program.namesPrivateData || !ALL_COOKIES.test(source) || !hasAddressWithoutUse(source))
      return;
    const at = Math.max(0, source.search(ALL_COOKIES));
    reportText("external-request", "low", at, at + "document.cookie".length);
  },
};
