import { fingerprintOf, hintOf } from "@keyhub/core/seal";
import type { ProjectDatabase } from "../database/database.ts";
import { CommandFailure } from "../failure.ts";
import { linesOf } from "../input/key-lines.ts";
import { readStandardInput } from "../input/read-input.ts";
import { moment, printJson, printTable, say } from "../output.ts";
import { agentNames, lastLeases } from "./look.ts";

/** The most leases of one key that are read, the newest first, to find out who used the key. */
const LEASES = 10_000;

interface Found {
  id: string;
  user_id: string;
  key_name: string;
  key_hint: string | null;
  provider: string | null;
  state: string;
}

export interface FindOptions {
  /** The last four characters. With null, the whole key is read from standard input. */
  lastFour: string | null;
  disable: boolean;
  json: boolean;
}

/**
 * Runs `keyhub keys find`: shows every row that has the key, in any pool and also deleted rows, and who leased the key. Fails when no row
 * has it.
 */
export async function findKey(
  database: ProjectDatabase,
  { lastFour, disable, json }: FindOptions,
): Promise<void> {
  const where =
    lastFour === null
      ? { fingerprint: await fingerprintsOf(database, await readKey()) }
      : { key_hint: lastFour };
  const found = await select(database, where);
  if (found.length === 0) throw await nothingFound(database);
  if (disable) {
    if (lastFour !== null) throw new CommandFailure("--disable needs the whole key, on standard input");
    for (const key of found.filter(({ state }) => state !== "deleted")) {
      await database.update("user_api_keys", key.id, { is_active: false });
      key.state = "disabled";
    }
  }
  const users = await usersOf(database, found);
  if (json) return printJson({ keys: found, used_by: users });
  printTable(
    found.map(({ id, key_name, key_hint, user_id, ...key }) => ({
      name: key_name,
      ends_in: key_hint,
      ...key,
      id,
      pool: user_id,
    })),
  );
  process.stdout.write(users.length === 0 ? "\nNobody has leased it.\n" : "\nWho has leased it\n");
  printTable(
    users.map(({ first, last, key_id, ...user }) => ({
      ...user,
      first: moment(first),
      last: moment(last),
      key: key_id,
    })),
  );
}

async function readKey(): Promise<string> {
  const lines = [...linesOf(await readStandardInput("the key"))];
  if (lines.length !== 1) throw new CommandFailure("give one key on standard input");
  return lines[0]?.text ?? "";
}

/** Returns the fingerprint of a key for each pool, because a fingerprint is made from the owner's id and the key. */
async function fingerprintsOf(database: ProjectDatabase, key: string): Promise<string[]> {
  const all: { user_id: string }[] = [];
  for (const from of ["user_api_keys", "api_key_deleted"])
    all.push(...(await database.select<{ user_id: string }>(from, { columns: ["user_id"], order: "id" })));
  const owners = [...new Set(all.map(({ user_id }) => user_id))];
  return Promise.all(owners.map((owner) => fingerprintOf(owner, key)));
}

async function select(database: ProjectDatabase, where: Record<string, string | string[]>): Promise<Found[]> {
  const columns = ["user_id", "key_name", "key_hint", "provider"] as const;
  const states = await database.select<Omit<Found, "id"> & { user_api_key_id: string }>("api_key_states", {
    columns: ["user_api_key_id", ...columns, "state"],
    where,
    order: "user_api_key_id",
  });
  const deleted = await database.select<Omit<Found, "state">>("api_key_deleted", {
    columns: ["id", ...columns],
    where,
    order: "id",
  });
  return [
    ...states.map(({ user_api_key_id, ...key }) => ({ id: user_api_key_id, ...key })),
    ...deleted.map((key) => ({ ...key, state: "deleted" })),
  ];
}

interface User {
  key_id: string;
  agent: string;
  leases: number;
  first: string | Date;
  last: string | Date;
}

async function usersOf(database: ProjectDatabase, found: Found[]): Promise<User[]> {
  const leases = await lastLeases(
    database,
    found.map(({ id }) => id),
    LEASES,
  );
  const names = await agentNames(database, leases);
  const users = new Map<string, User>();
  for (const { user_api_key_id: key_id, agent_id, issued_at } of leases) {
    // Without a time of issue, the row is a report without a lease.
    if (issued_at === null) continue;
    const agent = names.get(agent_id) ?? `${agent_id} (deleted)`;
    const user = users.get(`${key_id} ${agent}`);
    // Rows come newest first, so each further row of a user is an earlier lease.
    if (user === undefined)
      users.set(`${key_id} ${agent}`, { key_id, agent, leases: 1, first: issued_at, last: issued_at });
    else Object.assign(user, { leases: user.leases + 1, first: issued_at });
  }
  if (leases.length >= LEASES) say(`only the newest ${LEASES} leases of each key are counted`);
  return [...users.values()];
}

async function nothingFound(database: ProjectDatabase): Promise<CommandFailure> {
  const unknown = await database.select("user_api_keys", {
    columns: ["id"],
    where: { fingerprint: null },
    order: "id",
    limit: 1,
  });
  const hint = unknown.length > 0 ? "; some rows have no fingerprint yet: npm run reseal" : "";
  return new CommandFailure(`no pool has this key${hint}`);
}

/** Returns the last four characters in the form of the column key_hint; null when the text does not have four characters. */
export function lastFourOf(text: string): string | null {
  return [...text].length === 4 ? hintOf(text.padStart(16)) : null;
}
