import { randomUUID } from "node:crypto";
import { fingerprintOf, hintOf } from "@keyhub/core/seal";
import type { ProjectDatabase } from "../database/database.ts";
import { RefusedByDatabase } from "../database/fault.ts";
import type { Entry, Input } from "../input/entry.ts";
import { printJson, printTable, progress, say } from "../output.ts";
import type { Sealer } from "../seal-key.ts";

export interface AddOptions {
  user: string;
  /** The provider, priority and account of entries that name none. */
  provider: string | null;
  priority: number | null;
  account: string | null;
  dryRun: boolean;
  json: boolean;
}

interface NewKey {
  id: string;
  key_name: string;
  provider: string | null;
  priority: number;
  account: string | null;
  settings: NonNullable<Entry["settings"]>;
  hint: string;
}

interface Skipped {
  place: string;
  /** The name of the identical key in the pool or earlier in the input. */
  same_as: string;
}

/** How many keys are sealed at the same time. */
const BATCH = 64;
/** How often the insertion is tried when somebody else adds the same keys at the same time. */
const TRIES = 5;

/** Seals the keys of an input and adds those that are new to the pool, in one transaction. */
export async function addKeys(
  database: ProjectDatabase,
  sealer: Sealer,
  input: Input,
  options: AddOptions,
): Promise<void> {
  const { user } = options;
  const prints = await Promise.all(input.entries.map(({ key }) => fingerprintOf(user, key)));
  const sealed = new Map<string, string>();
  let sorted = await sort(database, input.entries, prints, options);
  for (let tries = 1; !options.dryRun && sorted.added.length > 0; tries += 1) {
    await sealAll(sealer, user, sorted.added, sealed);
    try {
      // Every caller inserts in the order of the fingerprints, so two callers with the same keys cannot end in a deadlock.
      const rows = sorted.added
        .toSorted((a, b) => (a.print < b.print ? -1 : 1))
        .map(({ print, row: { hint: _, ...row } }) => ({
          ...row,
          user_id: user,
          api_key_encrypted: sealed.get(print),
        }));
      await database.insert("user_api_keys", rows);
      break;
    } catch (error) {
      const isRace = error instanceof RefusedByDatabase && error.isDuplicateKey && tries < TRIES;
      if (!isRace) throw error;
      sorted = await sort(database, input.entries, prints, options);
    }
  }
  await tell(database, sorted, input, options);
}

interface Sorted {
  added: { entry: Entry; print: string; row: NewKey }[];
  skipped: Skipped[];
}

/** Divides the entries into new keys and duplicates. A duplicate has the same key as a row of the pool or as an earlier entry. */
async function sort(
  database: ProjectDatabase,
  entries: Entry[],
  prints: string[],
  options: AddOptions,
): Promise<Sorted> {
  const present = await database.select<{ key_name: string; fingerprint: string }>("user_api_keys", {
    columns: ["key_name", "fingerprint"],
    where: { user_id: options.user, fingerprint: [...new Set(prints)] },
    order: "id",
  });
  const names = new Map(present.map(({ fingerprint, key_name }) => [fingerprint, key_name]));
  const sorted: Sorted = { added: [], skipped: [] };
  for (const [index, entry] of entries.entries()) {
    const print = prints[index] ?? "";
    const same = names.get(print);
    if (same !== undefined) {
      sorted.skipped.push({ place: entry.place, same_as: same });
      continue;
    }
    const provider = entry.provider ?? options.provider;
    const hint = hintOf(entry.key);
    const row = {
      id: randomUUID(),
      key_name: entry.name ?? [provider ?? "key", hint || sorted.added.length + 1].join(" "),
      provider,
      priority: entry.priority ?? options.priority ?? 0,
      account: entry.account ?? options.account,
      settings: entry.settings ?? {},
      hint,
    };
    names.set(print, row.key_name);
    sorted.added.push({ entry, print, row });
  }
  return sorted;
}

async function sealAll(
  sealer: Sealer,
  user: string,
  added: Sorted["added"],
  sealed: Map<string, string>,
): Promise<void> {
  const line = progress("sealing", added.length);
  for (let start = 0; start < added.length; start += BATCH) {
    line.step(start);
    await Promise.all(
      added.slice(start, start + BATCH).map(async ({ entry, print }) => {
        if (!sealed.has(print)) sealed.set(print, await sealer.seal(user, entry.key));
      }),
    );
  }
  line.end();
}

async function tell(
  database: ProjectDatabase,
  { added, skipped }: Sorted,
  { others }: Input,
  options: AddOptions,
) {
  const keys = added.map(({ row }) => row);
  if (options.json) printJson({ dry_run: options.dryRun, added: keys, skipped, left_out: others });
  else
    printTable(
      keys.map(({ id, key_name, hint, settings, ...row }) => ({
        name: key_name,
        ends_in: hint,
        ...row,
        base_url: settings.base_url,
        id,
      })),
    );
  const verb = options.dryRun ? "would be added" : "added";
  say(`${keys.length} ${verb}, ${skipped.length} skipped (the same key is in the pool or the input already)`);
  if (others.length > 0) say(`left out, because they are not keys of a known provider: ${others.join(", ")}`);
  const unknown = await database.select("user_api_keys", {
    columns: ["id"],
    where: { user_id: options.user, fingerprint: null },
    order: "id",
    limit: 1,
  });
  if (unknown.length > 0)
    say("some keys of this pool have no fingerprint, so duplicates of them are not detected: npm run reseal");
}
