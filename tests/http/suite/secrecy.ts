import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { type KeyFixture, SET } from "./fixture.ts";

/** Searches everything that the earlier tests of the file have stored or logged, so this test must be the last. */
export function secrecy(fixture: KeyFixture): void {
  const { post, agent, take } = fixture;

  test("no key, token or private key stands in any row, error body or console line, also when a provider echoes it", async () => {
    const { token, plaintexts } = await agent();
    const { lease_id, key_id } = await take(token);
    const echo = `Incorrect API key provided: ${plaintexts[0]} (token ${token})`;
    await post(SET, token, { lease_id, status: "fail", error_code: `[400] ${echo}`, error_message: echo });
    await post(SET, token, { key_id, status: "fail", error_code: echo, error_message: echo });
    await post(SET, token, { key_id, status: "fail", error_code: plaintexts[0], retry_after: echo });
    await post(SET, token, { key_id: plaintexts[0], status: token, error_message: { echo } });

    const tables = await fixture.db.sql`
      select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname in ('public', 'private')`;
    let rows = "";
    for (const { name } of tables)
      rows += JSON.stringify(await fixture.db.sql.unsafe(`select * from ${name}`));
    expect(rows).toContain(createHash("sha256").update(token).digest("hex"));
    expect(fixture.secrets.size).toBeGreaterThan(20);
    const outside = [...fixture.errorBodies, ...fixture.service.console].join("\n");
    for (const secret of fixture.secrets) {
      expect(rows.includes(secret)).toBe(false);
      expect(outside.includes(secret)).toBe(false);
    }
  });
}
