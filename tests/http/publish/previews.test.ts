import { describe, expect, test } from "vitest";
import { IMPORTING, PREVIEWS, PUBLISHING } from "../../../packages/core/src/hub/index.ts";
import { generate, randomFrom } from "../../fixtures/redact/generate.ts";
import { addSource, makeAdmin } from "../../support/hub.ts";
import { inProcess } from "../../support/service.ts";
import { type Person, publishFixture, tokenOf } from "./fixture.ts";

const fixture = publishFixture(inProcess);

test("a preview hints at what may be a secret, and does not block", async () => {
  const ann = await fixture.join();
  const word = generate("{a:20}7{a:19}", randomFrom(47));
  const data = { widgets_values: [word, "google/gemini"] };
  const node = { id: "n", type: "loader", position: { x: 0, y: 0 }, data };
  const refId = await ann.make("orchestration", { nodes: [node], edges: [], stage_configs: [] });
  const preview = await ann.publish({ asset_type: "orchestration", ref_id: refId, dry_run: true });
  const hints = [{ path: "payload.nodes.0.data.widgets_values.0", reason: "random_word" }];
  expect(preview).toMatchObject({ status: 200, body: { hints, redactions: [] } });
  expect((await ann.publish({ asset_type: "orchestration", ref_id: refId })).status).toBe(201);
});

/** Inserts `count` calls that the user made half an hour ago, one per second. */
const pretend = (person: Person, kind: string, count: number) => fixture.db.sql`
  insert into private.hub_calls (user_id, kind, at)
  select ${person.id}, ${kind}, clock_timestamp() - interval '30 minutes' - n * interval '1 second'
  from generate_series(1, ${count}::int) n`;
const counted = async (person: Person, kind: string) =>
  (await fixture.db.sql`select from private.hub_calls where user_id = ${person.id} and kind = ${kind}`)
    .length;

describe("a preview's slug", () => {
  const preview = async (person: Person, title: string) =>
    (await person.publish({ ref_id: await person.make("template"), title, dry_run: true })).body;

  test("tells of what everybody sees, and of nothing else", async () => {
    const [ann, mallory] = [await fixture.join(), await fixture.join()];
    const admin = fixture.service.client(tokenOf(await makeAdmin(fixture.db.sql)));
    const { body } = await ann.publish({ ref_id: await ann.make("template"), title: "Secret project" });
    const { id } = body.asset;
    expect(await preview(mallory, "Secret project")).toMatchObject({
      asset: { slug: "secret-project-2" },
      permalink: "/hub/templates/secret-project-2",
    });
    const free = { asset: { slug: "secret-project" }, permalink: "/hub/templates/secret-project" };
    await ann.client.rpc("hub_unpublish_asset", { asset_id: id });
    expect(await preview(mallory, "Secret project")).toMatchObject(free);
    await ann.client.rpc("hub_republish_asset", { asset_id: id });
    await admin.rpc("hub_hide_asset", { asset_id: id, note: "For a test." });
    expect(await preview(mallory, "Secret project")).toMatchObject(free);
    await admin.rpc("hub_remove_asset", { asset_id: id, note: "For a test." });
    expect(await preview(mallory, "Secret project")).toMatchObject(free);
    const real = await mallory.publish({ ref_id: await mallory.make("template"), title: "Secret project" });
    expect(real.body.asset.slug).toBe("secret-project-2");
  });

  test("of a listing that is there is its own", async () => {
    const ann = await fixture.join();
    const refId = await ann.make("template");
    const { body } = await ann.publish({ ref_id: refId, title: "Mine already" });
    const again = await ann.publish({ ref_id: refId, title: "Mine otherwise", dry_run: true });
    expect(again.body.asset.slug).toBe(body.asset.slug);
  });
});

describe("limits", () => {
  test("previews are judged before the work: also those that would fail, which count as well", async () => {
    const ann = await fixture.join();
    const nobody = "00000000-0000-4000-8000-000000000009";
    await pretend(ann, "previews", PREVIEWS.perHour - 1);
    const answers = [];
    for (let n = 0; n < 2; n++) answers.push(await ann.publish({ ref_id: nobody, dry_run: true }));
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [404, "source_not_found"],
      [429, "rate_limited"],
    ]);
    // Publications are counted separately.
    expect((await ann.publish({ ref_id: await ann.make("template"), title: "Real" })).status).toBe(201);
  });

  test("previews: not one more within an hour, also at once; the answer says of what", async () => {
    const ann = await fixture.join();
    const refId = await ann.make("template");
    await pretend(ann, "previews", PREVIEWS.perHour - 3);
    const done = await Promise.all(
      Array.from({ length: 8 }, (_, n) => ann.publish({ ref_id: refId, title: `Look ${n}`, dry_run: true })),
    );
    expect(done.filter(({ status }) => status === 200)).toHaveLength(3);
    const refused = done.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(5);
    for (const { body, headers } of refused) {
      expect(body).toMatchObject({
        code: "rate_limited",
        limit: "previews",
        retry_after: Number(headers.get("retry-after")),
        detail: expect.stringMatching(
          `^At most ${PREVIEWS.perHour} previews an hour; try again after \\d+ seconds\\.$`,
        ),
      });
      expect(body.retry_after).toBeGreaterThan(1000);
      expect(body.retry_after).toBeLessThanOrEqual(1800);
    }
    expect(await counted(ann, "previews")).toBe(PREVIEWS.perHour);
    // Publishing still works, and so do other users.
    expect((await ann.publish({ ref_id: refId })).status).toBe(201);
    const bob = await fixture.join();
    expect((await bob.publish({ ref_id: await bob.make("template"), dry_run: true })).status).toBe(200);
  });

  test("a call counts for an hour, and is forgotten with the next one or by pruning", async () => {
    const ann = await fixture.join();
    const refId = await ann.make("template");
    await pretend(ann, "previews", PREVIEWS.perHour);
    const later = () =>
      fixture.db.sql`update private.hub_calls set at = at - interval '30 minutes' where user_id = ${ann.id}`;
    await later();
    expect((await ann.publish({ ref_id: refId, dry_run: true })).status).toBe(200);
    expect(await counted(ann, "previews")).toBe(1);
    await later();
    await later();
    await fixture.db.sql`select hub_prune()`;
    expect(await counted(ann, "previews")).toBe(0);
  });

  test("publications say so too", async () => {
    const ann = await fixture.join();
    const refId = await ann.make("template");
    await fixture.db.sql`
      insert into hub_events (action, user_id) select 'published', ${ann.id} from generate_series(1, ${PUBLISHING.perHour}::int)`;
    const { status, body } = await ann.publish({ ref_id: refId });
    expect(status).toBe(429);
    expect(body).toMatchObject({
      limit: "publications",
      detail: expect.stringMatching(
        `^At most ${PUBLISHING.perHour} publications an hour; try again after \\d+ seconds\\.$`,
      ),
    });
    // A preview publishes nothing, so it is not refused.
    expect((await ann.publish({ ref_id: refId, dry_run: true })).status).toBe(200);
  });

  test("imports: not one more within an hour, of listings and files; a plan is a preview; an answer is given again", async () => {
    const [ann, bob] = [await fixture.join(), await fixture.join()];
    const { body: listing } = await ann.publish({
      ref_id: await addSource(fixture.db.sql, ann.id),
      title: "For all",
    });
    const send = async (body: object, key?: string) => {
      const response = await fixture.service.fetch(`/functions/v1/hub-import/${listing.asset.slug}`, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          Authorization: `Bearer ${bob.token}`,
          ...(key && { "Idempotency-Key": key }),
        },
        body: JSON.stringify(body),
      });
      return { status: response.status, headers: response.headers, body: await response.json() };
    };
    await pretend(bob, "imports", IMPORTING.perHour - 2);
    // Previews do not count as imports.
    await pretend(bob, "previews", 200);
    const first = await send({}, "once");
    const done = await Promise.all(Array.from({ length: 5 }, () => send({})));
    expect([first, ...done].map(({ status }) => status).sort()).toEqual([201, 201, 429, 429, 429, 429]);
    const refused = done.find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({
      code: "rate_limited",
      limit: "imports",
      retry_after: Number(refused?.headers.get("retry-after")),
      detail: expect.stringMatching(`^At most ${IMPORTING.perHour} imports an hour; `),
    });
    expect((await send({}, "once")).body).toEqual(first.body);
    expect((await send({ dry_run: true })).status).toBe(200);
    expect([await counted(bob, "imports"), await counted(bob, "previews")]).toEqual([IMPORTING.perHour, 201]);
    await pretend(bob, "previews", PREVIEWS.perHour - 201);
    expect(await send({ dry_run: true })).toMatchObject({ status: 429, body: { limit: "previews" } });
  });

  test("what is counted goes with the account, and no client sees it", async () => {
    const ann = await fixture.join();
    await pretend(ann, "imports", 3);
    expect(
      (
        await ann.client
          .schema("private" as "public")
          .from("hub_calls")
          .select()
      ).error,
    ).not.toBeNull();
    await fixture.db.auth`delete from auth.users where id = ${ann.id}`;
    expect(await counted(ann, "imports")).toBe(0);
  });
});
