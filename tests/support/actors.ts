import type postgres from "postgres";
import type { Clone } from "./database.ts";

/** Somebody who uses the database, with the role and claims that a request over the API would have. */
export interface Actor {
  /** Runs in one transaction with the actor's role and claims. */
  run<T>(work: (tx: postgres.TransactionSql) => Promise<T>): Promise<T>;
}

/** The result of a statement: its rows, or the code of the refusal (`42501`, or a code of Keyhub such as `banned`). */
export type Outcome = { rows: postgres.RowList<postgres.Row[]> } | { refused: string };

/** Returns a client without an account. */
export function anon({ sql }: Pick<Clone, "sql">): Actor {
  return actor(sql, "anon", { role: "anon" });
}

/** Returns a signed-in user. */
export function signedIn({ sql }: Pick<Clone, "sql">, userId: string): Actor {
  return actor(sql, "authenticated", { sub: userId, role: "authenticated", is_anonymous: false });
}

/** Returns a Supabase anonymous session, which has the role of a signed-in user but no account. */
export function anonymousSession({ sql }: Pick<Clone, "sql">, userId: string): Actor {
  return actor(sql, "authenticated", { sub: userId, role: "authenticated", is_anonymous: true });
}

/** Returns an actor with the role of the edge functions. */
export function service({ sql }: Pick<Clone, "sql">): Actor {
  return actor(sql, "service_role", { role: "service_role" });
}

/** Returns the operator, as in the SQL editor. */
export function operator({ sql }: Pick<Clone, "sql">): Actor {
  return { run: (work) => sql.begin(work) as never };
}

function actor(sql: postgres.Sql, role: string, claims: { sub?: string } & Record<string, unknown>): Actor {
  return {
    run: (work) =>
      sql.begin(async (tx) => {
        await tx`
          select set_config('request.jwt.claim.sub', ${claims.sub ?? ""}, true),
            set_config('request.jwt.claims', ${JSON.stringify(claims)}, true),
            set_config('role', ${role}, true)`;
        return work(tx);
      }) as never,
  };
}

/** Runs one statement as the actor, and returns its rows or the code of the refusal. */
export async function attempt(
  who: Actor,
  work: (tx: postgres.TransactionSql) => Promise<unknown>,
): Promise<Outcome> {
  try {
    return { rows: (await who.run(work)) as postgres.RowList<postgres.Row[]> };
  } catch (error) {
    return { refused: refusalOf(error) };
  }
}

/** Returns the code of an error that is a refusal. Throws any other error again. */
export function refusalOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  if (code === "42501") return code;
  if (code?.startsWith("PT")) return message ?? "";
  throw error;
}
