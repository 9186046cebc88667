import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { expectProblem, GET, type KeyFixture, SET } from "./fixture.ts";

/** Tests bodies that cannot be parsed or do not fit the contract. */
export function badInput(fixture: KeyFixture): void {
  const { post, agent, take } = fixture;

  describe("bad input", () => {
    test("every fault is named at once, and no value is repeated", async () => {
      const { token } = await agent();
      const marker = "do-not-repeat-me";
      const answer = await post(SET, token, {
        lease_id: marker,
        key_id: 5,
        status: marker,
        error_code: { a: marker },
        error_message: 7,
      });
      expectProblem(answer, 422, "validation_failed");
      expect(answer.body.errors.map(({ path }: { path: string }) => path).sort()).toEqual([
        "error_code",
        "error_message",
        "key_id",
        "lease_id",
        "status",
      ]);
      expect(JSON.stringify(answer.body)).not.toContain(marker);
    });

    test.each([
      [{}, ["lease_id", "status"]],
      [{ status: "fail" }, ["error_code", "lease_id"]],
      [{ status: "fail", key_id: randomUUID(), error_code: null }, ["error_code"]],
      [{ status: "done", key_id: "123" }, ["key_id", "status"]],
      [[], [""]],
      ["null", [""]],
      ['"text"', [""]],
    ])("%j: faults at %j", async (body, paths) => {
      const { token } = await agent();
      const answer = await post(SET, token, body);
      expectProblem(answer, 422, "validation_failed");
      expect(answer.body.errors.map(({ path }: { path: string }) => path).sort()).toEqual(paths);
    });

    test.each([
      [SET, { status: "success", lease_id: randomUUID(), modle: "gpt", "x y": 1 }, ["?", "modle"]],
      [GET, { modle: "gpt-5", Provider: "openai" }, ["Provider", "modle"]],
      [
        GET,
        { previous: { lease_id: randomUUID(), status: "success", key_id: randomUUID() } },
        ["previous.key_id"],
      ],
      [GET, { previous: { lease_id: "x", status: "fail" } }, ["previous.error_code", "previous.lease_id"]],
      [GET, { previous: [] }, ["previous"]],
      [GET, { exclude: [randomUUID(), "x", 7] }, ["exclude.1", "exclude.2"]],
      [GET, { exclude: Array.from({ length: 17 }, () => randomUUID()) }, ["exclude"]],
      [GET, { exclude: 7, previous: "x", provider: 7 }, ["exclude", "previous", "provider"]],
    ])("%s %j: faults at %j", async (path, body, paths) => {
      const { token } = await agent();
      const answer = await post(path, token, body);
      expectProblem(answer, 422, "validation_failed");
      expect(answer.body.errors.map((fault: { path: string }) => fault.path).sort()).toEqual(paths);
    });

    test.each([["{"], ['{"status": "fail",}'], ["NaN"], ["\u0000"]])(
      "malformed JSON %j: 400",
      async (body) => {
        const { token } = await agent();
        expectProblem(await post(SET, token, body), 400, "malformed_json");
        expectProblem(await post(GET, token, body), 400, "malformed_json");
      },
    );

    test("a provider that is none: 422", async () => {
      const { token } = await agent();
      for (const provider of [7, "open ai", "a".repeat(64), "\u0000", "-x"]) {
        expectProblem(await post(GET, token, { provider }), 422, "validation_failed");
      }
      expect((await post(GET, token, { provider: null })).status).toBe(200);
    });

    test("a model that is none: 422; of another script, or with models/ in front: as it is kept", async () => {
      const { token } = await agent();
      for (const model of [
        7,
        "",
        " ",
        "models/",
        "x".repeat(129),
        "x".repeat(10_000),
        "a\u0000b",
        "a\nb",
        "\ud800",
      ]) {
        const refused = await post(GET, token, { model });
        expectProblem(refused, 422, "validation_failed");
        expect(refused.body.errors).toMatchObject([{ path: "model" }]);
        const report = { lease_id: randomUUID(), status: "success", model };
        expectProblem(await post(SET, token, report), 422, "validation_failed");
      }
      for (const [model, kept] of [
        [" Models/Gemini-2.5-Pro ", "gemini-2.5-pro"],
        ["模型/İ", "模型/i̇"],
        [null, null],
      ])
        expect((await post(GET, token, { model })).body).toMatchObject({ model: kept });
      expectProblem(
        await post(SET, token, { ...{ status: "success" }, lease_id: randomUUID(), same_answer_as: "x" }),
        422,
        "validation_failed",
      );
    });

    test("a hint or a code that is out of all range loses no report", async () => {
      const { token } = await agent();
      for (const body of [
        '"error_code": 429, "retry_after": 1e400',
        '"error_code": 429, "retry_after": 1e-9',
        '"error_code": 1e400',
      ]) {
        const { lease_id } = await take(token);
        const answer = await post(SET, token, `{"lease_id": "${lease_id}", "status": "fail", ${body}}`);
        expect(answer.status).toBe(200);
        if (body.includes("429"))
          expect(answer.body).toMatchObject({ state: "cooling_down", effect: "cooled" });
        await fixture.db
          .sql`update api_key_health set blocked_until = null where user_api_key_id = ${answer.body.key_id}`;
      }
    });

    test("a path below the function's own is 404", async () => {
      const { token } = await agent();
      for (const path of [GET, SET]) expectProblem(await post(`${path}/any/suffix`, token), 404, "not_found");
    });

    test("2 MB: 413; another content type: 415; another method: 405 with Allow; preflight: 204", async () => {
      const { token } = await agent();
      expectProblem(
        await post(SET, token, JSON.stringify({ error_message: "x".repeat(2_000_000) })),
        413,
        "body_too_large",
      );
      expectProblem(
        await post(SET, token, "status=fail", { "Content-Type": "application/x-www-form-urlencoded" }),
        415,
        "unsupported_media_type",
      );
      for (const path of [GET, SET]) {
        for (const method of ["GET", "PUT", "DELETE", "PATCH"]) {
          const response = await fixture.service.fetch(path, { method });
          expect(response.status).toBe(405);
          expect(response.headers.get("allow")).toBe("POST, OPTIONS");
          await response.body?.cancel();
        }
        const preflight = await fixture.service.fetch(path, { method: "OPTIONS" });
        expect(preflight.status).toBe(204);
        expect(preflight.headers.get("access-control-allow-headers")).toContain("authorization");
      }
    });
  });
}
