import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { type Clone, cloneDatabase } from "../support/database.ts";
import { inProcess, type Service } from "../support/service.ts";

let db: Clone;
let service: Service;
beforeAll(async () => {
  db = await cloneDatabase();
  service = await inProcess(db);
});
afterAll(async () => {
  await service.stop();
  await db.drop();
});

/** Replaces the body of the RPC lease_api_key, so that a test decides how it fails. */
async function replaceLeaseBody(body: string): Promise<void> {
  await db.sql.unsafe(`
    create or replace function public.lease_api_key(token_hash text default null, user_id uuid default null,
      provider text default null, live_kids text[] default '{}', release_lease_id uuid default null,
      attempt integer default 0, calls integer default 1, exclude uuid[] default '{}', model text default null)
    returns jsonb language plpgsql set search_path = '' as $$ begin ${body} end $$`);
}

const fail = (sqlstate: string) => `raise exception using errcode = '${sqlstate}', message = 'made to fail';`;
const NONE = `return '{"kind": "none", "cooling_down": 0, "limited": 0, "disabled": 0, "retry_after": null, "other_providers": null}';`;

const ask = () =>
  service.fetch("/functions/v1/get-active-key", {
    method: "POST",
    headers: { Authorization: `Bearer kh_agent_${"0".repeat(64)}` },
  });

afterEach(() => {
  vi.restoreAllMocks();
});

/** Makes time run 20 times faster in this process, where the handlers run, so that the deadline of a call (5 s) comes sooner. */
function speedUpClock(): void {
  const real = Date.now;
  const begun = real();
  vi.spyOn(Date, "now").mockImplementation(() => begun + (real() - begun) * 20);
}

test.each([
  ["deadlock", "40P01"],
  ["serialization failure", "40001"],
  ["statement cancelled", "57014"],
  ["lock timeout", "55P03"],
  ["too many connections", "53300"],
  ["disk full", "53100"],
  ["server shutting down", "57P01"],
  ["server starting up", "57P03"],
  ["connection failure", "08006"],
  ["input or output error", "58030"],
])("what passes by itself is a 503 that may be tried again: %s", async (_, sqlstate) => {
  await replaceLeaseBody(fail(sqlstate));
  speedUpClock();
  const response = await ask();
  expect(await response.json()).toMatchObject({ status: 503, code: "unavailable" });
  expect(response.status).toBe(503);
  expect(response.headers.get("retry-after")).toBe("1");
});

test.each([["P0001"], ["XX000"], ["22012"], ["42P01"]])(
  "what does not is a 500 without detail: %s",
  async (code) => {
    await replaceLeaseBody(fail(code));
    const response = await ask();
    const body = await response.json();
    expect(body).toMatchObject({ status: 500, code: "internal_error" });
    expect(JSON.stringify(body)).not.toContain("made to fail");
  },
);

test.each([["40P01"], ["40001"], ["55P03"]])(
  "a call that the database rolled back (%s) is retried, with the number of the attempt",
  async (code) => {
    await replaceLeaseBody(`if attempt < 3 then ${fail(code)} end if; ${NONE}`);
    const before = service.console.length;
    expect(await (await ask()).json()).toMatchObject({ status: 503, code: "no_active_key" });
    // A retry that succeeds is not logged.
    expect(service.console.slice(before)).toEqual([]);
  },
);

test("a call that gets `retry` is repeated, up to the deadline", async () => {
  await replaceLeaseBody(`if attempt < 3 then return '{"kind": "retry"}'; end if; ${NONE}`);
  expect(await (await ask()).json()).toMatchObject({ status: 503, code: "no_active_key" });
  await replaceLeaseBody(`return '{"kind": "retry"}';`);
  speedUpClock();
  expect(await (await ask()).json()).toMatchObject({ status: 503, code: "unavailable" });
});
