import { randomUUID } from "node:crypto";
import postgres from "postgres";
import { asAuth } from "./auth.ts";
import { clusterUrl } from "./shared.ts";

export const TEMPLATE = "keyhub_template";

/** A database that no other test uses. It has all migrations. */
export interface Clone {
  url: string;
  /** A connection as the operator (role postgres, which is not a superuser), as in the SQL editor. */
  sql: postgres.Sql;
  /** A connection as auth (role supabase_auth_admin), which makes, changes and deletes users. */
  auth: postgres.Sql;
  /** Returns a pool of connections with another role. It is closed with the clone. */
  as(role: "anon" | "authenticated" | "service_role", max?: number): postgres.Sql;
  drop(): Promise<void>;
}

/** Clones the template database. */
export async function cloneDatabase(template = TEMPLATE): Promise<Clone> {
  const cluster = await clusterUrl();
  const name = `clone_${randomUUID().replaceAll("-", "")}`;
  const admin = postgres(cluster, { max: 1, onnotice: () => {} });
  // The default strategy writes every page to the write-ahead log, which takes seven times as long.
  await admin.unsafe(`create database ${name} template ${template} strategy file_copy`);
  const url = databaseUrl(cluster, name);
  const open: postgres.Sql[] = [];
  const pool = (max: number, connection: Record<string, string> = {}) => {
    const sql = postgres(url, { max, onnotice: () => {}, connection });
    open.push(sql);
    return sql;
  };
  const sql = pool(20);
  return {
    url,
    sql,
    auth: asAuth(sql),
    as: (role, max = 32) => pool(max, { role }),
    drop: async () => {
      await Promise.all([asAuth(sql), ...open].map((pool) => pool.end({ timeout: 1 })));
      await admin.unsafe(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}

export function databaseUrl(clusterUrl: string, name: string): string {
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  return url.href;
}
