import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { exportItem } from "../../../packages/core/src/hub/index.ts";
import { assetRow } from "../../support/hub.ts";
import { buy, makeSeller, tell } from "../../support/payments.ts";
import { inProcess } from "../../support/service.ts";
import { importFixture, type Person } from "./fixture.ts";

/* Tests that a buyer may use what they bought, and that only its creator may publish it. */

const fixture = importFixture(inProcess);
const LONG = "and be kind to them. ".repeat(20);

/** Makes a listing for sale, and a buyer's copy of it. */
async function bought() {
  const creator = await fixture.join();
  await makeSeller(fixture.db.sql, creator.id);
  const title = `A greeting ${randomUUID()}`;
  const sold = await fixture.list({
    creator,
    columns: { name: title, content: `Say hello to {{name}}, ${LONG}${randomUUID()}` },
    body: { title, license: "paid", price_cents: 500, teaser: "What it is about." },
  });
  const buyer = await fixture.join();
  const { order_id: orderId } = await buy(fixture.db.sql, buyer.id, sold.id);
  const { status, text, body } = await fixture.import(buyer, `/${sold.slug}`);
  expect(status, text).toBe(201);
  return { sold, buyer, orderId, copy: body.created[0] as { id: string; hub_asset_id: string } };
}

/** Returns the file that a member saves of an item of their workspace. */
async function save(owner: Person, copy: { id: string; hub_asset_id: string }) {
  const { data: row } = await owner.client.from("prompt_templates").select("*").eq("id", copy.id).single();
  const { attribution } = await assetRow(fixture.db.sql, copy.hub_asset_id);
  const saved = await exportItem({ asset_type: "template", row, license: "paid", attribution } as never);
  if (!saved.ok) throw new Error("no document");
  return saved.value.document;
}

const refused = { status: 422, body: { code: "license_incompatible" } };

test("a bought copy is published neither alone nor as an item of a kit, under no license", async () => {
  const { buyer, copy } = await bought();
  await makeSeller(fixture.db.sql, buyer.id);
  const offer = { price_cents: 500, teaser: "What it is about." };
  for (const license of ["cc0", "cc-by", "platform-free", "paid"]) {
    const under = { license, ...(license === "paid" && offer) };
    expect(await buyer.publish({ ref_id: copy.id, ...under }), license).toMatchObject(refused);
    const kit = { asset_type: "orchestration", ref_id: await buyer.make("orchestration"), ...under };
    const items = [{ asset_type: "template", ref_id: copy.id }];
    expect(await buyer.publish({ ...kit, items }), license).toMatchObject({
      ...refused,
      body: { errors: [{ path: "items.0.license" }] },
    });
  }
});

describe("the file that a buyer has saved", () => {
  test("is a copy with its origin for the buyer; neither others nor who got the money back import it", async () => {
    const { sold, buyer, copy, orderId } = await bought();
    const document = await save(buyer, copy);
    const { body, status, text } = await fixture.import(buyer, "", { document });
    expect(status, text).toBe(201);
    expect((await assetRow(fixture.db.sql, body.created[0].hub_asset_id)).source_asset_id).toBe(sold.id);
    const notSold = { status: 403, body: { code: "purchase_required" } };
    expect(await fixture.import(await fixture.join(), "", { document })).toMatchObject(notSold);
    await tell(fixture.db.sql, { kind: "refunded", orderId, objectId: "re", amount: 500 });
    expect(await fixture.import(buyer, "", { document })).toMatchObject(notSold);
  });

  test("edited, it stays a paid work that nobody else publishes", async () => {
    const { buyer, copy } = await bought();
    const saved = await save(buyer, copy);
    const document = { ...saved, payload: { ...saved.payload, content: `${saved.payload.content} Bye.` } };
    const other = await fixture.join();
    const { body, status, text } = await fixture.import(other, "", { document });
    expect(status, text).toBe(201);
    for (const license of ["cc0", "cc-by", "platform-free"])
      expect(await other.publish({ ref_id: body.created[0].id, license }), license).toMatchObject(refused);
  });

  test("without its origin, it is the content of somebody else's listing", async () => {
    const { buyer, copy } = await bought();
    const document = { ...(await save(buyer, copy)), attribution: null, license: "cc0" };
    const other = await fixture.join();
    const { body, status, text } = await fixture.import(other, "", { document });
    expect(status, text).toBe(201);
    expect(await other.publish({ ref_id: body.created[0].id, license: "cc0" })).toMatchObject({
      status: 409,
      body: { code: "duplicate_content" },
    });
  });
});
