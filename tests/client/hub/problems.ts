import { PostgrestClient } from "@supabase/postgrest-js";
import { createClient } from "@supabase/supabase-js";
import { describe, expect, test } from "vitest";
import { PREVIEWS } from "../../../packages/core/src/hub/contract.ts";
import { createHub, HubError, type HubProblem, problemOf } from "../../../packages/hub/src/index.ts";
import { publishableKey } from "../../support/service.ts";
import { CLIENTS, type HubBench } from "./fixture.ts";

const NOBODYS = "00000000-0000-4000-8000-000000000000";
const body = { asset_type: "template", title: "T", description: "D", license: "cc0" } as const;

/** Returns the problem with which a call of the hub rejects. */
async function problemIn(call: Promise<unknown>): Promise<HubProblem> {
  const error = await call.then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(HubError);
  expect(await problemOf(error)).toBe(error.problem);
  return error.problem;
}

/** Checks that every kind of refusal has the same form. */
export function problemsSuite(bench: HubBench): void {
  describe.each(CLIENTS)("over %s", (kind) => {
    test("a refusal of the database, of a function and of the caller's rights has one form", async () => {
      const { hub } = await bench.join(kind);
      const guest = bench.hub(kind);
      expect(await problemIn(guest.search({ page_size: 0, sort: "best" as never, q: "x" }))).toEqual({
        code: "validation_failed",
        status: 422,
        title: "The body does not match the contract",
        detail: "errors names every fault.",
        errors: [
          { path: "sort", code: "invalid_value", message: expect.any(String) },
          { path: "page_size", code: "invalid_value", message: "must be from 1 to 100" },
        ],
        more: {},
      });
      const inList = await problemIn(guest.search({ tags: ["a,b", 'c"\\d'] }));
      expect([inList.code, inList.errors.map(({ path }) => path)]).toEqual(["validation_failed", ["tags"]]);
      expect(await problemIn(hub.publish({ ...body, ref_id: NOBODYS }))).toMatchObject({
        ...{ code: "source_not_found", status: 404, requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
        errors: [{ path: "ref_id", code: "not_found" }],
      });
      expect(await problemIn(guest.publish({ ...body, ref_id: NOBODYS }))).toMatchObject({
        code: "missing_credential",
        status: 401,
      });
      for (const call of [
        () => guest.star(NOBODYS),
        () => hub.moderation.hide(NOBODYS, "n"),
        () => guest.updates(),
      ])
        expect(await problemIn(call())).toMatchObject({
          code: "permission_denied",
          detail: null,
          errors: [],
        });
      expect(await problemIn(guest.remixes("no-uuid"))).toMatchObject({
        code: "invalid_request",
        status: 400,
      });
      expect(await problemIn(hub.unpublish(NOBODYS))).toMatchObject({ code: "asset_not_found", status: 404 });
    });
  });

  test("a banned user, a second report, and a limit with its seconds", async () => {
    const { id, hub } = await bench.join("supabase-js");
    const { hub: owner } = await bench.join("fetch");
    const { hub: admin } = await bench.admin("postgrest-js");
    const item = await owner.workspace("template").create({ name: "N", content: "C" });
    const { asset } = await owner.publish({ ...body, ref_id: item.id });
    await hub.report(asset.id, "spam");
    expect(await problemIn(hub.report(asset.id, "spam"))).toMatchObject({
      code: "already_reported",
      status: 409,
    });
    expect(await problemIn(admin.report(asset.id, "other", ""))).toMatchObject({
      code: "details_required",
      status: 422,
    });
    await admin.moderation.ban(id);
    expect(await problemIn(hub.star(asset.id))).toMatchObject({ code: "banned", status: 403 });
    await bench.db.sql`
    insert into private.hub_calls (user_id, kind)
    select user_id, 'previews' from prompt_templates, generate_series(1, ${PREVIEWS.perHour}) where id = ${item.id}`;
    const limited = await problemIn(owner.preview({ ...body, ref_id: item.id }));
    expect(limited).toMatchObject({ code: "rate_limited", status: 429, more: { limit: "previews" } });
    expect(limited.retryAfter).toBeGreaterThan(3000);
  });

  test("errors of plain supabase-js: its answers, a FunctionsHttpError, auth, a Response", async () => {
    const client = bench.service.client();
    const asked = await client.rpc("hub_asset", { id_or_slug: "nobody-has-this" });
    expect(await problemOf(asked.error)).toMatchObject({ code: "asset_not_found", status: 404 });
    expect(await problemOf(asked)).toMatchObject({ code: "asset_not_found", status: 404 });
    const { error } = await client.functions.invoke("hub-publish", { body: {} });
    for (const once of [await problemOf(error), await problemOf(error)])
      expect(once).toMatchObject({ code: "missing_credential", status: 401, requestId: expect.any(String) });
    const auth = await client.auth.signInWithPassword({ email: "nobody@example.test", password: "wrong" });
    expect(await problemOf(auth.error)).toMatchObject({
      code: "invalid_credentials",
      status: 400,
      errors: [],
    });
    const raw = await bench.service.fetch("/functions/v1/hub-import/nobody-has-this", { method: "POST" });
    expect(await problemOf(raw)).toMatchObject({ code: "asset_not_found", status: 404 });
    expect((await problemOf({ code: 400, error_code: "user_banned", msg: "User is banned" })).code).toBe(
      "user_banned",
    );
    const limited = Response.json({}, { status: 503, headers: { "Retry-After": "7", "X-Request-Id": "r" } });
    expect(await problemOf(limited)).toMatchObject({ code: "unavailable", retryAfter: 7, requestId: "r" });
    const page = new Response("<html>", { status: 200 });
    expect(await problemOf(page)).toMatchObject({ code: "not_understood" });
  });

  test("no answer: network, timeout and abort, over every client, and for nothing at all", async () => {
    for (const [thrown, code] of [
      [new TypeError("fetch failed"), "network"],
      [new DOMException("timed out", "TimeoutError"), "timeout"],
      [new DOMException("aborted", "AbortError"), "aborted"],
    ] as const) {
      const fetchNothing: typeof fetch = () => Promise.reject(thrown);
      const connection = { url: "http://keyhub.test", key: publishableKey, fetch: fetchNothing };
      const options = {
        global: { fetch: fetchNothing },
        db: { retry: false },
        auth: { persistSession: false },
      };
      const client = createClient(connection.url, publishableKey, options as never);
      for (const hub of [createHub(connection), createHub(client as never)]) {
        expect(await problemIn(hub.moderation.unban(NOBODYS)), code).toMatchObject({ code, status: 0 });
        expect(await problemIn(hub.importAsset("x")), code).toMatchObject({ code, status: 0 });
      }
    }
    for (const nothing of [undefined, null, "text", 7, {}])
      expect(await problemOf(nothing)).toMatchObject({ code: "not_understood", errors: [] });
  });

  test("a client that cannot call functions: the error names the function that was called", async () => {
    const hub = createHub(new PostgrestClient("http://keyhub.test/rest/v1"));
    await expect(hub.importAsset("x")).rejects.toThrow(
      "a call of hub-import needs supabase-js, or the option functions",
    );
    await expect(hub.checkout("x")).rejects.toThrow("a call of hub-checkout needs");
  });
}
