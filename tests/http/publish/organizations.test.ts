import { describe, expect, test } from "vitest";
import { signedIn } from "../../support/actors.ts";
import { ask, join, makeTeam } from "../../support/organizations.ts";
import { inProcess } from "../../support/service.ts";
import { importFixture } from "../import/fixture.ts";

const fixture = importFixture(inProcess);

/** Makes an organization with two members who have a session. */
async function team() {
  const { id, slug } = await makeTeam(fixture.db);
  const [ann, ben] = [await fixture.join(), await fixture.join()];
  for (const person of [ann, ben]) await join(fixture.db.sql, id, person.id);
  return { id, slug, ann, ben };
}

describe("sharing in an organization", () => {
  test("is a publication whose address is the shelf's; a preview shows the same and writes nothing", async () => {
    const { slug, ann, ben } = await team();
    const ref_id = await ann.make("template", { content: "Hello" });
    const body = { asset_type: "template", ref_id, title: "Plan", organization: slug.toUpperCase() };
    const preview = await ann.publish({ ...body, dry_run: true });
    expect(preview).toMatchObject({ status: 200, body: { asset: { is_shared: true, is_public: false } } });
    expect(preview.body.permalink).toMatch(new RegExp(`^/orgs/${slug}/plan-[0-9a-f]{8}$`));
    const made = await ann.publish(body);
    expect(made).toMatchObject({ status: 201, body: { version: 1, asset: { is_shared: true } } });
    expect(made.body.permalink).toBe(`/orgs/${slug}/${made.body.asset.slug}`);
    const copy = await fixture.import(ben, `/${made.body.asset.slug}`);
    expect(copy).toMatchObject({ status: 201, body: { attribution: { root: { title: "Plan" } } } });
    expect((await fixture.import(null, `/${made.body.asset.slug}`)).status).toBe(404);
    const stranger = await fixture.join();
    expect(await fixture.import(stranger, `/${made.body.asset.slug}`)).toMatchObject({
      ...{ status: 404, body: { code: "asset_not_found" } },
    });
  });

  test.each([
    ["of others", 404, "organization_not_found", async () => (await makeTeam(fixture.db)).slug],
    ["that does not exist", 404, "organization_not_found", async () => "no-such-team"],
    ["without a name", 422, "validation_failed", async () => ""],
    ["named by an id", 404, "organization_not_found", async () => (await makeTeam(fixture.db)).id],
    ["with a name too long", 422, "validation_failed", async () => "x".repeat(41)],
    ["that is no text", 422, "validation_failed", async () => 7],
  ])("%s is refused", async (_, status, code, organization) => {
    const ann = await fixture.join();
    const ref_id = await ann.make("template", { content: "Hello" });
    const answer = await ann.publish({ asset_type: "template", ref_id, organization: await organization() });
    expect(answer).toMatchObject({ status, body: { code } });
  });

  test("a token that names an organization gives nothing: rows decide", async () => {
    const { slug } = await makeTeam(fixture.db);
    const mallory = await fixture.join();
    await fixture.db.sql`
      update auth.users set raw_user_meta_data = ${fixture.db.sql.json({ organization: slug, organizations: [slug] })}
      where id = ${mallory.id}`.catch(() => undefined);
    expect((await mallory.client.rpc("hub_shelf", { organization: slug })).status).toBe(404);
  });

  test("a public listing is 409; a copy elsewhere is 422 and names the part", async () => {
    const { slug, ann, ben } = await team();
    const open = await fixture.list({ creator: ann });
    expect(await ann.publish({ asset_type: "template", ref_id: open.ref, organization: slug })).toMatchObject(
      {
        ...{ status: 409, body: { code: "already_public" } },
      },
    );
    const shared = await fixture.list({ creator: ann, body: { organization: slug, license: "cc0" } });
    const { body } = await fixture.import(ben, `/${shared.slug}`);
    const ref_id = body.created[0].id;
    expect(await ben.publish({ asset_type: "template", ref_id, license: "cc0" })).toMatchObject({
      ...{ status: 422, body: { code: "organization_only", errors: [{ path: "ref_id" }] } },
    });
    const kit = await ben.make("orchestration", {});
    const items = [{ asset_type: "template", ref_id }];
    const ofKit = { asset_type: "orchestration", ref_id: kit, license: "cc0", items };
    expect(await ben.publish(ofKit)).toMatchObject({
      ...{ status: 422, body: { code: "organization_only", errors: [{ path: "items.0.ref_id" }] } },
    });
    expect((await ben.publish({ ...ofKit, organization: slug })).status).toBe(201);
  });

  test("the same request again is answered as before, also after the caller has left", async () => {
    const { id, slug, ann } = await team();
    const ref_id = await ann.make("template", { content: "Hello" });
    const body = { asset_type: "template", ref_id, title: "Once", organization: slug };
    const headers = { "Idempotency-Key": "once" };
    const first = await ann.publish(body, headers);
    await ask(signedIn(fixture.db, ann.id), "leave_organization", { organization_id: id });
    expect((await ann.publish(body, headers)).body).toEqual(first.body);
    expect((await ann.publish({ ...body, title: "Twice" })).body.code).toBe("organization_not_found");
  });

  test("a file of a shared version is linked to it for members, and a claim for everybody else", async () => {
    const { slug, ann, ben } = await team();
    const shared = await fixture.list({ creator: ann, body: { organization: slug, license: "cc0" } });
    const { data: asset } = await ben.client.rpc("hub_asset", { id_or_slug: shared.id });
    const document = {
      ...{ format: "keyhub.asset", format_version: 1, asset_type: "template", title: asset.title },
      ...{ description: asset.description, tags: asset.tags, license: asset.version_license },
      ...{ payload: asset.payload, items: [], sha256: asset.sha256 },
      attribution: { parent: { ...origin(asset), creator: null }, root: { ...origin(asset), creator: null } },
    };
    const mine = await fixture.import(ben, "", { document });
    expect(mine.body.attribution.parent).toMatchObject({ id: shared.id });
    const stranger = await fixture.import(await fixture.join(), "", { document });
    expect(stranger.body.attribution).not.toHaveProperty("parent");
    expect(stranger.body.attribution).toHaveProperty("claimed");
  });
});

// biome-ignore lint/suspicious/noExplicitAny: an answer of the RPC.
const origin = ({ id, title, slug, version, version_license: license, remix_depth }: any) => ({
  ...{ id, title, slug, creator_id: null, license, version, remix_depth },
});
