import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PaymentServer, startPayments } from "../../../packages/local/src/payments/server.ts";
import { stripeProvider } from "../../../supabase/functions/_shared/payments/stripe.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { addKey } from "../../support/keys.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { fitting, mutated } from "../../support/openapi/arbitrary.ts";
import { addressOf } from "../../support/openapi/operation.ts";
import { ownOperations } from "../../support/openapi/operations.ts";
import { document, validatorAt } from "../../support/openapi/schemas.ts";
import { plantedKey } from "../../support/planted-keys.ts";
import { inProcess, type Service } from "../../support/service.ts";

/* Tests bodies made from the schemas of docs/openapi.json, valid and invalid ones, with the real functions. */

let db: Clone;
let service: Service;
let payments: PaymentServer;
let token = "";
beforeAll(async () => {
  db = await cloneDatabase();
  payments = await startPayments({ webhook: () => null, secret: "whsec_bodies", pause: 1 });
  const settings = { name: "loopback", secretKey: "sk_test", webhookSecrets: ["whsec_bodies"] };
  const provider = () => stripeProvider({ ...settings, site: "http://hub.test", api: new URL(payments.url) });
  service = await inProcess(db, undefined, {}, {}, provider);
  const user = await service.signUp();
  token = user.token;
  await addKey(db.sql, user.userId, { plaintext: plantedKey() });
});
afterAll(async () => {
  await service?.stop();
  await payments?.stop();
  await db?.drop();
});

/** The codes of faults that a schema cannot express: bodies that fit the schema may have them, too. */
const BEYOND = [
  ...["invalid_text", "invalid_key", "invalid_number", "repeated", "too_deep", "too_many_values"],
  ...["unknown_format", "unpaired", "unreadable", "invalid_message"],
];
/** Members that are normalized before they are checked. */
const NORMALISED = /^(?:document\.)?(?:tags|thumbnail_url)\b/;
/** Members that the license `paid` requires and that no other license may have. */
const OF_A_LICENSE = /^(?:price_cents|currency|teaser)$/;

interface Fault {
  path: string;
  code: string;
}

test.each(ownOperations.map((operation) => [operation.path, addressOf(operation)] as const))(
  "%s: what its schema refuses is 4xx, what it accepts has no fault of shape",
  async (path, address) => {
    const way = ["paths", path, "post", "requestBody", "content", "application/json", "schema"];
    const fits = validatorAt(way);
    const valid = fitting(document.paths[path]?.post?.requestBody.content["application/json"]?.schema ?? {});
    const tried = { accepted: 0, refused: 0 };
    const check = async (value: unknown) => {
      const body = JSON.stringify(value);
      const accepted = fits(JSON.parse(body));
      tried[accepted ? "accepted" : "refused"] += 1;
      const response = await service.fetch(`/functions/v1${address}`, {
        method: "POST",
        headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
        body,
      });
      expect(response.status).toBeLessThan(500);
      if (!accepted) {
        expect(response.status).toBeGreaterThanOrEqual(400);
        return;
      }
      const answer = (await response.json()) as { code?: string; errors?: Fault[] } | null;
      if (answer?.code !== "validation_failed") return;
      const ofShape = (answer.errors ?? []).filter(
        ({ path: at, code }) => !BEYOND.includes(code) && !NORMALISED.test(at) && !OF_A_LICENSE.test(at),
      );
      expect(ofShape).toEqual([]);
    };
    // Of the mutated bodies, about three quarters are refused.
    const [fitted, changed] = LONG_TESTS ? [20, 20] : [10, 14];
    await fc.assert(fc.asyncProperty(valid, check), { numRuns: fitted });
    await fc.assert(fc.asyncProperty(mutated(valid), check), { numRuns: changed });
    expect(tried.accepted).toBeGreaterThan(2);
    expect(tried.refused).toBeGreaterThan(2);
  },
);
