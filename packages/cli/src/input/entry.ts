import { faultOfKey, faultOfName } from "@keyhub/core/key-text";
import { redact } from "@keyhub/core/redact";
import { CommandFailure } from "../failure.ts";

/** A key to add, as it was read. */
export interface Entry {
  /** Where it stood, for messages: "line 3", or the name of a setting. */
  place: string;
  name: string | null;
  key: string;
  /** Lower case; null: the option --provider, else any. */
  provider: string | null;
  priority: number | null;
  account: string | null;
  /** What agents need beside the key; the database refuses secrets in it. */
  settings?: { base_url?: string; organization?: string };
}

/** What was read of an input. */
export interface Input {
  entries: Entry[];
  /** Names of settings that are no keys of a provider, and were left out. */
  others: string[];
}

/** Where a setting such as OPENAI_API_KEY has its value. */
export type Lookup = (name: string) => string | undefined;

const PROVIDER = /^[a-z0-9][a-z0-9._-]{0,62}$/;
/** Far inside what an integer column holds. */
const PRIORITY = /^-?\d{1,9}$/;

/** The fields of an entry as texts; an empty one is absent. */
export type RawEntry = Partial<Record<"name" | "provider" | "priority" | "account", string>> & {
  key: string;
};

/** Checks an entry; throws a CommandFailure that names its place, never what stands there. */
export function readEntry(place: string, raw: RawEntry): Entry {
  const refuse = (what: string): never => {
    throw new CommandFailure(`${place} ${what}; nothing was written`);
  };
  const field = (name: keyof RawEntry) => raw[name]?.trim() || null;
  const [key, name, account] = [field("key") ?? refuse("has no key"), field("name"), field("account")];
  const fault = faultOfKey(key);
  if (fault !== null) refuse(`has a key that ${fault}`);
  // A key in the wrong column would be stored for everybody to read.
  for (const [column, value] of [
    ["name", name],
    ["provider", field("provider")],
    ["account", account],
  ] as const) {
    const nameFault = faultOfName(value ?? "");
    if (nameFault !== null) refuse(`has ${column === "account" ? "an" : "a"} ${column} ${nameFault}`);
    if (value !== null && (value === key || redact(value).redactions.length > 0))
      refuse(`has what looks like a key as its ${column}`);
  }
  const provider = field("provider")?.toLowerCase() ?? null;
  if (provider !== null && !PROVIDER.test(provider)) refuse("has a provider that is no name such as openai");
  const priority = field("priority");
  if (priority !== null && !PRIORITY.test(priority)) refuse("has a priority that is no whole number");
  return { place, name, key, provider, account, priority: priority === null ? null : Number(priority) };
}

/** `os.environ/NAME` and `${NAME}` stand for a setting. Throws a CommandFailure with its name when it is not set. */
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
