import type postgres from "postgres";
import type { Mutation } from "./mutation.ts";

/** Replaces the function by one without the guard; throws when the guard is not there to be taken out. */
export async function applyMutation(
  sql: postgres.Sql,
  { name, in: functionName, from, to }: Mutation,
): Promise<void> {
  const [schema, bare] = functionName.split(".");
  const [row] = await sql<{ definition: string }[]>`
    select pg_get_functiondef(p.oid) as definition from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = ${schema ?? ""} and p.proname = ${bare ?? ""}`;
  if (!row?.definition.includes(from)) throw new Error(`the guard of "${name}" is not in ${functionName}`);
  await sql.unsafe(row.definition.replace(from, () => to));
}
