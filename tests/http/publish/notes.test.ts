import { describe, expect, test } from "vitest";
import { inProcess } from "../../support/service.ts";
import { publishFixture } from "./fixture.ts";

const fixture = publishFixture(inProcess);

const SECRET = `sk-proj-${"aB3dE5gH7jK9mN1p".repeat(3)}`;

describe("label and changelog of a publication", () => {
  test("are of the version, shown in preview and answer, and read by everybody", async () => {
    const ann = await fixture.join();
    const ref_id = await ann.make("template", { content: "One" });
    const body = { ref_id, label: " 1.0 ", changelog: " First.\nWith two lines. " };
    const shown = { version: 1, label: "1.0", changelog: "First.\nWith two lines." };
    expect((await ann.publish({ ...body, dry_run: true })).body).toMatchObject(shown);
    const first = await ann.publish(body);
    expect([first.status, first.body]).toMatchObject([201, shown]);
    await ann.client.from("prompt_templates").update({ content: "Two" }).eq("id", ref_id);
    const second = await ann.publish({ ref_id, label: "", changelog: null });
    expect([second.status, second.body]).toMatchObject([201, { version: 2, label: null, changelog: null }]);
    const { data } = await fixture.guest.rpc("hub_versions", { id_or_slug: first.body.asset.slug });
    expect(data).toMatchObject([{ version: 2, label: null, changelog: null }, shown]);
    // If the content is published already, the notes are those of the existing version.
    const same = await ann.publish({ ref_id, label: "1.1" });
    expect([same.status, same.body]).toMatchObject([200, { version: 2, label: "1.1" }]);
    const taken = await ann.publish({ ref_id, label: "1.0" });
    expect([taken.status, taken.body.code]).toEqual([409, "label_taken"]);
    const planned = await ann.publish({ ref_id, title: "Another", label: "1.0", dry_run: true });
    expect([planned.status, planned.body.code]).toEqual([409, "label_taken"]);
  });

  test("lose their secrets: the changelog has a placeholder, a label is left out", async () => {
    const ann = await fixture.join();
    const ref_id = await ann.make("template", { content: "One" });
    const { status, body, text } = await ann.publish({ ref_id, changelog: `Now with ${SECRET}.` });
    expect([status, body.redactions.map(({ path }: { path: string }) => path)]).toEqual([201, ["changelog"]]);
    expect(body.changelog).toMatch(/^Now with .+\.$/);
    expect(text).not.toContain(SECRET);
    const labelled = await ann.publish({ ref_id, title: "Another", label: SECRET.slice(0, 32) });
    expect([labelled.status, labelled.body.label]).toEqual([201, null]);
    const [stored] = await fixture.db.sql`select string_agg(v::text, ' ') as all from hub_asset_versions v`;
    expect(stored?.all).not.toContain(SECRET.slice(0, 32));
  });

  test("too long, of several lines or with invisible characters are faults, all at once", async () => {
    const ann = await fixture.join();
    const ref_id = await ann.make("template");
    const faults = async (body: Record<string, unknown>) => {
      const answer = await ann.publish({ ref_id, ...body });
      expect([answer.status, answer.body.code]).toEqual([422, "validation_failed"]);
      return answer.body.errors.map(({ path, code }: { path: string; code: string }) => `${path}: ${code}`);
    };
    const long = { label: "x".repeat(33), changelog: "x".repeat(4001) };
    expect((await faults(long)).sort()).toEqual(["changelog: too_big", "label: too_big"]);
    const hidden = { label: "a\nb", changelog: "a\u202eb" };
    expect((await faults(hidden)).sort()).toEqual(["changelog: invalid_text", "label: invalid_text"]);
    expect(await faults({ label: 1 })).toEqual(["label: invalid_type"]);
    const fits = await ann.publish({ ref_id, label: "é".repeat(32), changelog: "👍".repeat(4000) });
    expect(fits.status).toBe(201);
  });
});
