import { AWS_SECRET_RULE } from "./secret-formats/find.ts";
import { formats } from "./secret-formats/registry.ts";
import { WEBHOOKS } from "./secret-formats/webhooks.ts";

/** The rules that are not about the format of one provider, each with a description of the secrets that it looks for. */
const GENERAL: Record<string, string> = {
  "credential-name": "a value whose name says that it is a credential",
  "credential-reference": "an id that points to a credential or connection kept privately",
  "organization-code": "an organisation's code, in any spelling",
  "prose-credential": "a word that the text calls a password, key or token",
  "bearer-token": "the token after Bearer, token or the like",
  "basic-auth": "the pair of a Basic header or of curl -u",
  "url-password": "user information of an address",
  "url-parameter": "a parameter of an address that is a credential",
  webhook: "an address whose path is a secret",
  "private-key": "a private key: PEM, OpenSSH, PGP, PuTTY, JWK",
  "random-token": "a prefix and a long random part, of no known format",
  "private-place": "what is private in any file of a tool: ids of credentials and instances, recorded data",
  "too-deep": "a value nested too deeply to be looked at",
};

const TOKEN = "a token by its format";
const ADDRESS = "an address whose path is a secret";

/** All rules that a receipt can name, and what each looks for. The rule of a format is mostly named after its provider. */
export const redactionRules: readonly { rule: string; looksFor: string }[] = Object.entries({
  ...Object.fromEntries(WEBHOOKS.map(({ rule }) => [rule, ADDRESS])),
  ...Object.fromEntries([...formats.map(({ id }) => id), AWS_SECRET_RULE].map((rule) => [rule, TOKEN])),
  ...GENERAL,
}).map(([rule, looksFor]) => ({ rule, looksFor }));
