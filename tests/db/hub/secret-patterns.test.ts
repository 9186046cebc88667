import { afterAll, beforeAll, expect, test } from "vitest";
import { secretPatterns } from "../../../packages/core/src/redact/index.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  committedSecretPatterns,
  secretPatternRows,
  withSecretPatterns,
} from "../../support/secret-patterns.ts";

let db: Clone;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db.drop());

test("the database knows the same patterns as core, in the same order", async () => {
  const rows = await db.sql`select rule, pattern from private.secret_patterns()`;
  expect(rows.map(({ rule, pattern }) => ({ rule, pattern }))).toEqual([...secretPatterns]);
});

test("the schema file says what npm run generate writes from the formats of core", () => {
  expect(committedSecretPatterns()).toBe(withSecretPatterns(committedSecretPatterns()));
  const more = [...secretPatterns, { rule: "it's", pattern: "new" }];
  expect(withSecretPatterns(committedSecretPatterns(), more)).toContain(`${secretPatternRows(more)}\n$$;`);
  expect(secretPatternRows(more)).toContain(",\n    ('it''s', 'new')");
});

test("and reads them alike", async () => {
  const letters = "Q3EGRHZX5QW7PLMNabcdefghijklmnopqrstuvwxyz0123456789";
  const texts = [
    `sk-proj-${letters}`,
    `sk-ant-${letters}`,
    `(AKIA${letters.slice(0, 16)})`,
    `ghp_${letters}`,
    `eyJ${letters}.eyJ${letters}`,
    `-----BEGIN RSA PRIVATE KEY-----\n${letters}\n${letters}`,
    `postgres://user:${letters}@db.example.com`,
    "https://hooks.slack.com/services/T0AB1CD2E/B0AB1CD2E/abcdefghijklmnopqrstuvwx",
    "Choose a password and an API key, such as {{API_KEY}}.",
    `sk_live_${letters}, rk_test_${letters}, task_test_${letters}`,
    `github_pat_${letters}, ghs_${letters}.${letters}`,
    `12345678:AB${letters} and whsec_${letters}`,
    "AKIA is a prefix, and sk-proj- another.",
  ];
  for (const text of texts) {
    const [row] = await db.sql`
      select array(select rule from private.secret_patterns() where ${text} ~ pattern) as rules`;
    const here = secretPatterns
      .filter(({ pattern }) => new RegExp(pattern).test(text))
      .map(({ rule }) => rule);
    expect([text, row?.rules]).toEqual([text, here]);
  }
});
