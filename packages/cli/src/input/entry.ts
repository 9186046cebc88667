import { faultOfKey, faultOfName } from "@keyhub/core/key-text";
import { redact } from "@keyhub/core/redact";
import { CommandFailure } from "../failure.ts";

/** A key to add, as it was read from the input. */
export interface Entry {
  /** The place in the input, for messages: "line 3", or the name of a setting. */
  place: string;
  name: string | null;
  key: string;
  /** In lower case. If null, the key gets the provider of the option --provider, or none without this option. */
  provider: string | null;
  priority: number | null;
  account: string | null;
  /** Settings that agents need besides the key. The database refuses secrets in them. */
  settings?: { base_url?: string; organization?: string };
}

/** The result of reading an input. */
export interface Input {
  entries: Entry[];
  /** Names of settings that were left out because they do not hold a provider's key. */
  others: string[];
}

/** Looks up the value of a setting such as OPENAI_API_KEY. */
export type Lookup = (name: string) => string | undefined;

const PROVIDER = /^[a-z0-9][a-z0-9._-]{0,62}$/;
/** At most nine digits, so that every priority fits into an integer column. */
const PRIORITY = /^-?\d{1,9}$/;

/** The fields of an entry as texts. An empty text means that the field is absent. */
export type RawEntry = Partial<Record<"name" | "provider" | "priority" | "account", string>> & {
  key: string;
};

/** Checks an entry. Throws a CommandFailure that names the place of the entry, but never repeats its content. */
export function readEntry(place: string, raw: RawEntry): Entry {
  const refuse = (what: string): never => {
    throw new CommandFailure(`${place} ${what}; nothing was written`);
  };
  const field = (name: keyof RawEntry) => raw[name]?.trim() || null;
  const [key, name, account] = [field("key") ?? refuse("has no key"), field("name"), field("account")];
  const fault = faultOfKey(key);
  if (fault !== null) refuse(`has a key that ${fault}`);
  // A key in one of these columns would be stored unencrypted, so a value that looks like a key is refused.
  for (const [column, value] of [
    ["name", name],
    ["provider", field("provider")],
    ["account", account],
  ] as const) {
    const nameFault = faultOfName(value ?? "");
    if (nameFault !== null) refuse(`has ${column === "account" ? "an" : "a"} ${column} ${nameFault}`);
    if (value !== null && (value === key || redact(value).redactions.length > 0))
      refuse(`has a value that looks like a key as its ${column}`);
  }
  const provider = field("provider")?.toLowerCase() ?? null;
  if (provider !== null && !PROVIDER.test(provider))
    refuse("has a provider that is not a name such as openai");
  const priority = field("priority");
  if (priority !== null && !PRIORITY.test(priority)) refuse("has a priority that is not a whole number");
  return { place, name, key, provider, account, priority: priority === null ? null : Number(priority) };
}

/** Replaces `os.environ/NAME` or `${NAME}` by the value of the setting NAME. Throws a CommandFailure with this name when it is not set. */
export function resolveReference(
  text: string,
  place: string,
  lookup: Lookup,
): { value: string; from?: string } {
  const [, of, braced] = /^(?:os\.environ\/(\w+)|\$\{(\w+)\})$/.exec(text.trim()) ?? [];
  const from = of ?? braced;
  if (from === undefined) return { value: text };
  const value = lookup(from)?.trim();
  if (value) return { value, from };
  throw new CommandFailure(
    `${place} asks for ${from}, which is not set in the environment; nothing was written`,
  );
}
