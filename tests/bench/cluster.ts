import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import {
  bootstrapDatabase,
  pushMigrations,
  startPostgres,
  withDatabase,
} from "../../packages/local/src/index.ts";
import { SUPERUSER, urlAs } from "../../packages/local/src/postgres/roles.ts";

/** A Postgres with the migrations for one benchmark. fsync and full page writes stay on, as in production. */
export interface Cluster {
  /** The URL for connections as the operator. */
  url: string;
  sql: postgres.Sql;
  /** Returns callers with one connection each; `onnotice` gets notices of the server. */
  callers(count: number, onnotice?: (notice: postgres.Notice) => void): Promise<postgres.Sql[]>;
  stop(): Promise<void>;
}

/** Starts a Postgres in a folder that is removed at the end, or in the given folder, which is kept and may have been used before. */
export async function startCluster(settings: Record<string, string> = {}, kept?: string): Promise<Cluster> {
  const folder = kept ?? (await mkdtemp(join(tmpdir(), "keyhub-bench-")));
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o755);
  const server = await startPostgres({
    dataDir: join(folder, "cluster"),
    port: 0,
    settings: { max_connections: "200", shared_buffers: "512MB", max_wal_size: "4GB", ...settings },
  });
  try {
    await bootstrapDatabase(server.url);
    await pushMigrations(server.url);
    // Benches call CHECKPOINT before they measure, so that everything is on disk. On a hosted project, the operator may not call it.
    await withDatabase(urlAs(server.url, SUPERUSER), (sql) => sql`grant pg_checkpoint to postgres`);
  } catch (error) {
    await server.stop();
    throw error;
  }
  const open: postgres.Sql[] = [];
  const connect = (onnotice: (notice: postgres.Notice) => void = () => {}) => {
    const sql = postgres(server.url, { max: 1, onnotice });
    open.push(sql);
    return sql;
  };
  return {
    url: server.url,
    sql: connect(),
    callers: async (count, onnotice) => {
      const made = Array.from({ length: count }, () => connect(onnotice));
      await Promise.all(made.map((sql) => sql`select 1`));
      return made;
    },
    stop: async () => {
      await Promise.all(open.map((sql) => sql.end({ timeout: 1 })));
      await server.stop();
      if (kept === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Adds a user with `size` keys, without the triggers, which would take minutes for a million. Returns the user's id. */
export async function addPool(sql: postgres.Sql, size: number, tiers = 1): Promise<string> {
  const [user] = await sql<
    { id: string }[]
  >`insert into auth.users (id) values (gen_random_uuid()) returning id`;
  const userId = user?.id ?? "";
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into public.user_api_keys (user_id, key_name, api_key_encrypted, priority)
      select ${userId}, 'key ' || i, 'hpke.v1.bench.' || repeat('a', 43) || '.' || repeat('b', 60), i % ${tiers}::int
      from generate_series(1, ${size}::int) i`;
    await tx`insert into public.api_key_health (user_api_key_id) select id from public.user_api_keys where user_id = ${userId}`;
    await tx`select private.rebuild_tiers(${userId})`;
  });
  return userId;
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

/** Returns the calls per second of all callers together. Each caller makes one call after the other. */
export async function rate(
  callers: postgres.Sql[],
  seconds: number,
  call: (sql: postgres.Sql) => Promise<unknown>,
): Promise<number> {
  const started = performance.now();
  const end = started + seconds * 1000;
  let done = 0;
  await Promise.all(
    callers.map(async (sql) => {
      while (performance.now() < end) {
        await call(sql);
        done += 1;
      }
    }),
  );
  return (done * 1000) / (performance.now() - started);
}

/** Retries a call like the functions: while it was rolled back after a lock timeout, or returns `retry`. */
export async function callWithRetries<T>(
  call: (attempt: number) => PromiseLike<T>,
  isDone: (answer: T) => boolean = () => true,
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const answer = await call(attempt);
      if (isDone(answer)) return answer;
    } catch (error) {
      if ((error as { code?: string }).code !== "55P03") throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 2 ** Math.min(attempt, 6)));
  }
}

export async function keysOf(sql: postgres.Sql, userId: string): Promise<string[]> {
  const rows = await sql`select id from public.user_api_keys where user_id = ${userId}`;
  return rows.map(({ id }) => id);
}

/** Returns a random element. */
export function pick<T>(list: T[]): T {
  return list[Math.floor(Math.random() * list.length)] as T;
}
