import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repository } from "../support/cli.ts";
import { type Clone, cloneDatabase } from "../support/database.ts";

let db: Clone;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db.drop());

/** No npm package has pg_cron. A function with the same name and arguments stores the jobs, and the test runs them itself. */
const takeJobs = `
  create schema cron;
  create table cron.job (jobname text primary key, schedule text not null, command text not null);
  create function cron.schedule(job_name text, schedule text, command text) returns bigint language sql as $$
    insert into cron.job values ($1, $2, $3) on conflict (jobname) do update set schedule = $2, command = $3 returning 1::bigint
  $$`;

test("without pg_cron it makes no job and says so", async () => {
  const [made] = await db.sql`select keyhub_schedule() as jobs`;
  expect(made).toEqual({ jobs: [] });
});

test("one call makes every job, again without harm; each command runs, and the deploy page names each", async () => {
  await db.sql.unsafe(takeJobs);
  const [first] = await db.sql<{ jobs: string[] }[]>`select keyhub_schedule() as jobs`;
  const [second] = await db.sql<{ jobs: string[] }[]>`select keyhub_schedule() as jobs`;
  expect(second).toEqual(first);
  const jobs = await db.sql<{ jobname: string; schedule: string; command: string }[]>`select * from cron.job`;
  expect(jobs.map(({ jobname }) => jobname).sort()).toEqual([...(first?.jobs ?? [])].sort());
  const page = await readFile(join(repository, "docs", "operate", "deploy.md"), "utf8");
  for (const { jobname, schedule, command } of jobs) {
    expect(schedule).toMatch(/^(\*\/\d+|\d+|\*) \* \* \* \*$/);
    await db.sql.unsafe(command);
    expect(page).toContain(jobname);
  }
});

test("no schema file and no later migration makes a job on its own", async () => {
  const [{ callers } = { callers: 0 }] = await db.sql<{ callers: number }[]>`
    select count(*)::int as callers from pg_proc where prosrc like '%cron.schedule%' and pronamespace = 'public'::regnamespace`;
  expect(callers).toBe(1);
});

test("clients and functions cannot call it", async () => {
  for (const role of ["anon", "authenticated", "service_role"] as const)
    await expect(db.as(role)`select keyhub_schedule()`).rejects.toMatchObject({ code: "42501" });
});
