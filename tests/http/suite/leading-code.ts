import { describe, expect, test } from "vitest";
import { type KeyFixture, SET } from "./fixture.ts";

/** Tests how error codes are classified. */
export function leadingCode(fixture: KeyFixture): void {
  const { post, agent, take } = fixture;

  describe("the leading code alone sets the class", () => {
    test.each([
      ["[429] retry in 400 ms", "rate_limited"],
      ["[RESOURCE_EXHAUSTED] Quota exceeded for quota metric", "rate_limited"],
      ["[500] upstream said 403", "server_error"],
      ["", "unknown"],
      [`[429] ${"x".repeat(10_000)}`, "rate_limited"],
      ["429", "rate_limited"],
      [429, "rate_limited"],
      ["timeout after 403 ms", "unreachable"],
    ])("%.40j is %s", async (error_code, outcome) => {
      const { token } = await agent();
      const { lease_id } = await take(token);
      const { status, body } = await post(SET, token, { lease_id, status: "fail", error_code });
      expect(status).toBe(200);
      expect(body.outcome).toBe(outcome);
    });
  });
}
