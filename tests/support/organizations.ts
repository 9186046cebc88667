import type postgres from "postgres";
import { type Actor, attempt, signedIn } from "./actors.ts";
import { makeUser } from "./hub.ts";

export interface Team {
  id: string;
  slug: string;
  owner: string;
  admin: string;
  member: string;
}

let teams = 0;

/** Makes an organization with one member of each role. */
export async function makeTeam(db: { sql: postgres.Sql }, prefix = "team"): Promise<Team> {
  const [owner, admin, member] = [await makeUser(db.sql), await makeUser(db.sql), await makeUser(db.sql)];
  teams += 1;
  const slug = `${prefix}-${["", "a", "b", "c", "d", "e", "f", "g", "h", "k"][teams % 10]}${"x".repeat(Math.floor(teams / 10))}z`;
  const { id } = await ask<{ id: string }>(signedIn(db, owner), "create_organization", {
    name: `Team ${slug}`,
    slug,
  });
  await join(db.sql, id, admin, "admin");
  await join(db.sql, id, member);
  return { id, slug, owner, admin, member };
}

/** Adds a member as an operator does. */
export async function join(sql: postgres.Sql, id: string, userId: string, role = "member"): Promise<void> {
  await sql`insert into organization_members (organization_id, user_id, role) values (${id}, ${userId}, ${role})`;
}

/** Returns the role of each member by user id, the oldest member first. */
export async function rolesOf(sql: postgres.Sql, id: string): Promise<Record<string, string>> {
  const rows = await sql<{ user_id: string; role: string }[]>`
    select user_id, role from organization_members where organization_id = ${id} order by created_at, user_id`;
  return Object.fromEntries(rows.map(({ user_id, role }) => [user_id, role]));
}

/** Calls an RPC with named arguments. Returns its answer; rejects if it is refused. */
export async function ask<T>(who: Actor, name: string, args: Record<string, unknown> = {}): Promise<T> {
  const [row] = await who.run((tx) => callOf(tx, name, args));
  return row?.answer as T;
}

/** Calls an RPC. Returns the code of the refusal; null if the call succeeds. */
export async function refusal(
  who: Actor,
  name: string,
  args: Record<string, unknown> = {},
): Promise<string | null> {
  const outcome = await attempt(who, (tx) => callOf(tx, name, args));
  return "refused" in outcome ? outcome.refused : null;
}

function callOf(tx: postgres.TransactionSql, name: string, args: Record<string, unknown>) {
  const names = Object.keys(args);
  const list = names.map((arg, n) => `${arg} => $${n + 1}`).join(", ");
  return tx.unsafe<{ answer: unknown }[]>(
    `select public.${name}(${list}) as answer`,
    names.map((arg) => args[arg]) as never[],
  );
}
