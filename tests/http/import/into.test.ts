import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { wrongCounters } from "../../support/hub.ts";
import { inProcess } from "../../support/service.ts";
import { importFixture, type Person } from "./fixture.ts";

/* Tests hub-import with {into}: "Update my copy". tests/db/hub/update-copy.test.ts tests the promises of the database. */

const fixture = importFixture(inProcess);

const contentOf = async (id: string) =>
  (await fixture.db.sql`select content from prompt_templates where id = ${id}`)[0]?.content;

/** Makes a template in two versions, "One" and "Two", and a user's copy of the first. */
async function copied() {
  const { slug, creator, ref, id } = await fixture.list({ columns: { content: "One" } });
  const me = await fixture.join();
  const [made] = (await fixture.import(me, `/${slug}`)).body.created;
  const next = async (content: string) => {
    await creator.client.from("prompt_templates").update({ content }).eq("id", ref);
    expect((await creator.publish({ ref_id: ref, title: content })).status).toBe(201);
  };
  await next("Two");
  const update = (body: Record<string, unknown> = {}, headers = {}, who: Person | null = me) =>
    fixture.import(who, `/${slug}`, { into: made.hub_asset_id, ...body }, headers);
  return { slug, creator, id, me, made, next, update };
}

describe("an update", () => {
  test("answers 200 with the rows that the copy has; a dry run the same without ids, and writes nothing", async () => {
    const { made, update, id } = await copied();
    const dry = await update({ dry_run: true });
    expect([dry.status, dry.body]).toMatchObject([
      200,
      { stored: "cloud", dry_run: true, created: [{ ...made, id: null, hub_asset_id: null }] },
    ]);
    expect(await contentOf(made.id)).toBe("One");
    const { status, body } = await update({ into: made.hub_asset_id.toUpperCase() });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ stored: "cloud", created: [made] },
      attribution: { parent: { id, version: 2 } },
    });
    expect(body.warnings.map(({ code }: { code: string }) => code)).not.toContain("name_taken");
    expect(await contentOf(made.id)).toBe("Two");
    expect(await wrongCounters(fixture.db.sql)).toEqual([]);
  });

  test("sent again with its key has its answer, and does not undo what came after", async () => {
    const { made, me, next, update } = await copied();
    const headers = { "Idempotency-Key": randomUUID() };
    const answers = await Promise.all([1, 2, 3, 4].map(() => update({}, headers)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const kept = () =>
      fixture.db.sql`select from private.hub_overwritten where asset_id = ${made.hub_asset_id}`;
    expect(await kept()).toHaveLength(1);
    await me.client.from("prompt_templates").update({ content: "Mine" }).eq("id", made.id);
    await next("Three");
    expect((await update({}, headers)).text).toBe(answers[0]?.text);
    expect(await contentOf(made.id)).toBe("Mine");
    const other = await update({ overwrite: true }, headers);
    expect([other.status, other.body.code]).toEqual([422, "idempotency_key_reused"]);
  });

  test("of an edited copy is 409 with its items; overwrite replaces it, and hub_restore_copy brings it back", async () => {
    const { made, me, update } = await copied();
    await me.client.from("prompt_templates").update({ content: "Mine" }).eq("id", made.id);
    const refused = await update();
    expect([refused.status, refused.body]).toMatchObject([
      409,
      {
        code: "modified_copy",
        items: [{ asset_type: "template", hub_asset_id: made.hub_asset_id, title: made.title }],
      },
    ]);
    expect((await update({ overwrite: true })).status).toBe(200);
    expect(await contentOf(made.id)).toBe("Two");
    const back = await me.client.rpc("hub_restore_copy", { asset_id: made.hub_asset_id });
    expect([back.error, back.data]).toMatchObject([null, { ref_id: made.id, version: 1 }]);
    expect(await contentOf(made.id)).toBe("Mine");
  });

  test("of a kit finds every item and points the stages to the rows that there are", async () => {
    const creator = await fixture.join();
    const { ref, items } = await fixture.kit(creator);
    const kit = { asset_type: "orchestration", ref_id: ref, title: "A kit", items };
    const { slug } = (await creator.publish(kit)).body.asset;
    const me = await fixture.join();
    const { created } = (await fixture.import(me, `/${slug}`)).body;
    const [main] = created;
    const stages = async () =>
      (await fixture.db.sql`select stage_configs from orchestrator_configs where id = ${main.id}`)[0]
        ?.stage_configs;
    const before = await stages();
    const template = items.find(({ asset_type }) => asset_type === "template")?.ref_id;
    await creator.client.from("prompt_templates").update({ content: "Hello again" }).eq("id", template);
    expect((await creator.publish({ ...kit, items: items.toReversed() })).status).toBe(201);
    const { status, body } = await fixture.import(me, `/${slug}`, { into: main.hub_asset_id });
    expect(status).toBe(200);
    const ids = (rows: { id: string }[]) => rows.map(({ id }) => id).sort();
    expect(ids(body.created)).toEqual(ids(created));
    expect(await stages()).toEqual(before);
    const copy = created.find(({ asset_type }: { asset_type: string }) => asset_type === "template");
    expect(await contentOf(copy.id)).toBe("Hello again");
  });
});

describe("what is refused", () => {
  test("a guest has no copies; somebody else's is not found; one of another listing does not fit", async () => {
    const { slug, made, me, update, creator } = await copied();
    const guest = await update({}, {}, null);
    expect([guest.status, guest.body.code]).toEqual([401, "account_required"]);
    for (const [who, into] of [
      [creator, made.hub_asset_id],
      [await fixture.join(), made.hub_asset_id],
      [me, randomUUID()],
    ] as const) {
      const { status, body } = await fixture.import(who, `/${slug}`, { into });
      expect([status, body.code]).toEqual([404, "asset_not_found"]);
    }
    const other = await copied();
    const wrong = await fixture.import(me, `/${other.slug}`, { into: made.hub_asset_id });
    expect([wrong.status, wrong.body]).toMatchObject([
      422,
      { code: "validation_failed", errors: [{ path: "into", code: "other_listing" }] },
    ]);
    expect(await contentOf(made.id)).toBe("One");
  });

  test("an update for which the workspace has no room says so, and changes nothing", async () => {
    const { made, me, next, update } = await copied();
    await next("Three, which is longer than what the copy has");
    await fixture.db.sql`update private.workspace_usage set byte_count = 104857600 where user_id = ${me.id}`;
    const { status, body } = await update();
    expect([status, body]).toMatchObject([
      422,
      { code: "limit_reached", limit: "workspace_bytes", most: 104857600 },
    ]);
    expect(body.detail).not.toContain("undefined");
    expect(await contentOf(made.id)).toBe("One");
    await fixture.db.sql`
      update private.workspace_usage set byte_count = (
        select private.source_bytes(to_jsonb(t)) from prompt_templates t where user_id = ${me.id}
      ) where user_id = ${me.id}`;
  });

  test("overwrite without into, into that is no id, and into beside a file", async () => {
    const { slug, me, made } = await copied();
    for (const [path, body, fault] of [
      [`/${slug}`, { overwrite: true }, "overwrite"],
      [`/${slug}`, { into: "mine" }, "into"],
      [`/${slug}`, { into: made.hub_asset_id, overwrite: "yes" }, "overwrite"],
      ["", { document: {}, into: made.hub_asset_id }, "into"],
    ] as const) {
      const answer = await fixture.import(me, path, body);
      expect([answer.status, answer.body.code], fault).toEqual([422, "validation_failed"]);
      expect(answer.body.errors.map((error: { path: string }) => error.path)).toContain(fault);
    }
    expect((await fixture.import(me, `/${slug}`, { overwrite: false })).status).toBe(201);
  });

  test("a yanked version is 409, with and without into; one that is none 404", async () => {
    const { slug, id, creator, me, made } = await copied();
    await creator.client.rpc("hub_yank_version", { asset_id: id, version: 1, reason: "Broken." });
    for (const body of [{ version: 1 }, { version: 1, into: made.hub_asset_id }]) {
      const { status, body: answer } = await fixture.import(me, `/${slug}`, body);
      expect([status, answer.code]).toEqual([409, "version_yanked"]);
    }
    expect((await fixture.import(await fixture.join(), `/${slug}`, { version: 1 })).status).toBe(404);
    const none = await fixture.import(me, `/${slug}`, { version: 9, into: made.hub_asset_id });
    expect([none.status, none.body.code]).toEqual([404, "asset_not_found"]);
  });
});
