import { randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bootstrapDatabase, withDatabase } from "../../../packages/local/src/index.ts";
import { repository } from "../../support/cli.ts";
import { databaseUrl } from "../../support/database.ts";
import { envelope } from "../../support/keys.ts";
import { clusterUrl } from "../../support/shared.ts";

test("keys and log of a project come through the migration: nothing is lost, and what is deleted later leaves its name", async () => {
  const cluster = await clusterUrl();
  const name = `evidence_${randomUUID().replaceAll("-", "")}`;
  const url = databaseUrl(cluster, name);
  await withDatabase(cluster, (sql) => sql.unsafe(`create database ${name}`));
  try {
    await bootstrapDatabase(url);
    const folder = join(repository, "supabase", "migrations");
    const files = (await readdir(folder)).sort();
    const from = files.findIndex((file) => file.endsWith("_key_evidence.sql"));
    expect(from).toBeGreaterThan(0);
    const apply = (some: string[]) =>
      withDatabase(url, async (sql) => {
        for (const file of some)
          await sql.begin(async (tx) => tx.unsafe(await readFile(join(folder, file), "utf8")));
      });
    await apply(files.slice(0, from));
    const [user, key] = [randomUUID(), randomUUID()];
    const text = envelope();
    await withDatabase(url, async (sql) => {
      await sql`insert into auth.users (id, email) values (${user}, 'owner@example.test')`;
      await sql`
        insert into user_api_keys (id, user_id, key_name, api_key_encrypted, usage_count) values (${key}, ${user}, 'old', ${text}, 7)`;
      await sql`
        insert into api_key_usage_log (user_api_key_id, user_id, key_generation, issued_at) values (${key}, ${user}, 1, now())`;
    });
    await apply(files.slice(from));
    await withDatabase(url, async (sql) => {
      expect(
        await sql`select api_key_encrypted, usage_count::int, generation, fingerprint, key_hint from user_api_keys`,
      ).toEqual([
        { api_key_encrypted: text, usage_count: 7, generation: 1, fingerprint: null, key_hint: null },
      ]);
      await sql`delete from user_api_keys`;
      expect(
        await sql`select d.key_name from api_key_usage_log l join api_key_deleted d on d.id = l.user_api_key_id`,
      ).toEqual([{ key_name: "old" }]);
      await sql`delete from auth.users`;
      expect(await sql`select from api_key_usage_log`).toHaveLength(0);
    });
  } finally {
    await withDatabase(cluster, (sql) => sql.unsafe(`drop database ${name} with (force)`));
  }
});
