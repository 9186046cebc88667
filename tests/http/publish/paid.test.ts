import { expect, test } from "vitest";
import { makeSeller } from "../../support/payments.ts";
import { inProcess } from "../../support/service.ts";
import { publishFixture } from "./fixture.ts";

const fixture = publishFixture(inProcess);

test("a paid listing has its price and a teaser without secrets; another price is no other version", async () => {
  const ann = await fixture.join();
  const refId = await ann.make("template");
  const paid = { license: "paid", price_cents: 500, teaser: "What it is about." };
  await makeSeller(fixture.db.sql, ann.id);
  const secret = "sk-ant-api03-Zq7Lm2Xv9Tn4Rb8Wc5Yd1Kf6Hg3Js0Pa";
  const answer = await ann.publish({ ref_id: refId, ...paid, teaser: `Call it with ${secret}` });
  expect(answer).toMatchObject({
    status: 201,
    body: {
      asset: { license: "paid", price_cents: 500, currency: "USD", teaser: "Call it with [redacted]" },
      redactions: [{ path: "teaser" }],
    },
  });
  expect(answer.body.asset.payment_product_id).toBe(
    `loopback:keyhub_${answer.body.asset.id.replaceAll("-", "")}`,
  );
  // Another price makes no new version.
  expect(await ann.publish({ ref_id: refId, ...paid, price_cents: 700 })).toMatchObject({
    status: 200,
    body: { version: 1, asset: { price_cents: 700, teaser: "What it is about." } },
  });
});
