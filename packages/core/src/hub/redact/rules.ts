import { tokenRules } from "./formats/registry.ts";
import { structuredRules } from "./formats/structured.ts";
import { WEBHOOKS } from "./formats/webhooks.ts";

/** What the rules that are no format of one provider look for. */
const GENERAL: Record<string, string> = {
  "credential-name": "a value whose name says that it is a credential",
  "credential-reference": "an id that points to a credential or connection kept privately",
  "organization-code": "an organisation's code, in any spelling",
  "said-credential": "a word that the text calls a password, key or token",
  "bearer-token": "the token after Bearer, token or the like",
  "basic-auth": "the pair of a Basic header or of curl -u",
  "url-password": "user information of an address",
  "url-parameter": "a parameter of an address that is a credential",
  webhook: "an address whose path is a secret",
  "private-key": "a private key: PEM, OpenSSH, PGP, PuTTY, JWK",
  "random-token": "a prefix and a long random part, of no known format",
  "too-deep": "a value nested too deeply to be looked at",
};

/** Every rule that a receipt can name, with what it looks for; formats of providers are named after them. */
export const redactionRules: readonly { rule: string; looksFor: string }[] = [
  ...Object.entries(GENERAL).map(([rule, looksFor]) => ({ rule, looksFor })),
  ...[...new Set([...tokenRules.map(({ rule }) => rule), ...structuredRules])].map((rule) => ({
    rule,
    looksFor: "a token by its format",
  })),
  ...[...new Set(WEBHOOKS.map(({ rule }) => rule))]
    .filter(
      (rule) =>
        !Object.hasOwn(GENERAL, rule) &&
        !tokenRules.some((known) => known.rule === rule) &&
        !structuredRules.includes(rule),
    )
    .map((rule) => ({ rule, looksFor: "an address whose path is a secret" })),
];
