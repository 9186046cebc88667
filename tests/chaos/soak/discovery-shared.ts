import type postgres from "postgres";
import { forgeToken, type Service } from "../../support/service.ts";

/** The state that readers and writers of the discovery soak share. */
export interface Load {
  service: Service;
  /** A connection as the operator. */
  sql: postgres.Sql;
  admin: string;
  /** The end of the run, in the time of performance.now(). */
  end: number;
  /** The listings that a committed change has surely made invisible. The value is the place in the order of these changes. */
  hidden: Map<string, number>;
  creators: string[];
  roots: string[];
  /** The number of calls by kind. */
  done: Record<string, number>;
  /** The number of documented refusals that writers got, by kind and message. */
  told: Record<string, number>;
  broken: string[];
}

export const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T;

export function count(where: Record<string, number>, what: string): void {
  where[what] = (where[what] ?? 0) + 1;
}

export function tokenOf(userId: string): string {
  const exp = Math.floor(Date.now() / 1000) + 3600;
  return forgeToken({ sub: userId, role: "authenticated", aud: "authenticated", exp });
}
