import fc from "fast-check";
import { expect, test } from "vitest";
import { redact } from "../../../packages/core/src/redact/index.ts";
import { literal, type SecretFormat } from "../../../packages/core/src/redact/secret-formats/format.ts";
import { formats } from "../../../packages/core/src/redact/secret-formats/registry.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";

/* Tests that each entry of the registry finds tokens that are made from its own pattern, so an entry needs no example. */

/** Matches look-aheads, which only mark the end of a token. */
const LOOKAHEAD = /\(\?[=!](?:\[[^\]]*\]|\{[^}]*\}|[^()[\]])*\)/g;
/** Matches a class of characters. Tokens are made only from its letters and digits, because real tokens mostly consist of them. */
const CLASS = /\[(?!\^)((?:[^\]\\]|\\.)*)\]/g;
const RANGE = /[A-Za-z0-9]-[A-Za-z0-9]/g;

function tokensOf({ prefixes, pattern }: SecretFormat): string[] {
  const rest = pattern.replace(LOOKAHEAD, "").replace(CLASS, (whole, inside: string) => {
    const ranges = inside.match(RANGE);
    return ranges === null ? whole : `[${ranges.join("")}]`;
  });
  return (prefixes.length === 0 ? [""] : prefixes).flatMap((prefix) => {
    const token = fc.stringMatching(new RegExp(`^${literal(prefix)}(?:${rest})$`));
    return fc.sample(fc.noBias(token), { numRuns: LONG_TESTS ? 3 : 1, seed: 5 });
  });
}

/** Returns the ids of the formats that begin in the same way. For these, the order of the formats decides which one a receipt names. */
const alike = (format: SecretFormat) =>
  formats
    .filter(({ prefixes }) => prefixes.some((prefix) => format.prefixes.includes(prefix)))
    .map(({ id }) => id);

test.each(formats.map((format) => [format.id, format.prefixes.join(" "), format] as const))(
  "%s %s",
  (id, _, format) => {
    for (const token of tokensOf(format)) {
      const { value, redactions } = redact({ note: `Use ${token} here` });
      expect([token, value]).toEqual([token, { note: "Use [redacted] here" }]);
      expect([id, ...alike(format)]).toContain(redactions[0]?.rule);
    }
  },
);
