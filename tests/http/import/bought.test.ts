import { expect, test } from "vitest";
import { type Attribution, exportItem } from "../../../packages/core/src/hub/index.ts";
import { assetRow, sourceTable } from "../../support/hub.ts";
import { buy, makeSeller } from "../../support/payments.ts";
import { inProcess } from "../../support/service.ts";
import { importFixture } from "./fixture.ts";

const fixture = importFixture(inProcess);

const PAID = { license: "paid", price_cents: 500, teaser: "What it is about." };

/** Sells a long template, and lets somebody buy and import it. */
async function bought(content: string) {
  const creator = await fixture.join();
  await makeSeller(fixture.db.sql, creator.id);
  const listing = await fixture.list({ creator, columns: { content }, body: PAID });
  const buyer = await fixture.join();
  const refused = await fixture.import(buyer, `/${listing.slug}`);
  expect(refused).toMatchObject({ status: 403, body: { code: "purchase_required" } });
  expect((await fixture.import(null, `/${listing.slug}`)).body.code).toBe("purchase_required");
  await buy(fixture.db.sql, buyer.id, listing.slug);
  const { status, body } = await fixture.import(buyer, `/${listing.slug}`, { mode: "remix" });
  expect(status).toBe(201);
  const [copy] = body.created;
  return { listing, buyer, ref: copy.id as string, row: copy.hub_asset_id as string };
}

test("a buyer's file stays under its license with whoever imports it, and its text is somebody else's work without it", async () => {
  const content = "Words that somebody has paid for. ".repeat(10);
  const { listing, buyer, ref, row } = await bought(content);
  const { data: source } = await buyer.client.from(sourceTable("template")).select().eq("id", ref).single();
  const { attribution } = await assetRow(fixture.db.sql, row);
  const made = await exportItem({
    asset_type: "template",
    row: source,
    license: "paid",
    attribution: attribution as Attribution,
  });
  if (!made.ok) throw new Error("the copy could not be exported");
  const friend = await fixture.join();
  const { status, body } = await fixture.import(friend, "", { document: made.value.document });
  expect(status).toBe(201);
  for (const license of ["cc0", "cc-by", "platform-free"])
    expect((await friend.publish({ ref_id: body.created[0].id, license })).body.code).toBe(
      "license_incompatible",
    );
  // An item that the friend types in has no license of its own, but its text shows where it is from.
  const typed = await friend.make("template", { name: "Typed in", content });
  expect(await friend.publish({ ref_id: typed, license: "cc-by" })).toMatchObject({
    ...{ status: 409, body: { code: "duplicate_content", slug: listing.slug } },
  });
  // The friend has not bought the listing.
  expect((await fixture.import(friend, `/${listing.slug}`)).body.code).toBe("purchase_required");
  expect((await friend.client.rpc("hub_asset", { id_or_slug: listing.slug })).data).toMatchObject({
    payload: null,
    readable: false,
  });
});
