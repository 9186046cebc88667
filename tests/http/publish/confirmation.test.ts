import { expect, test } from "vitest";
import { inProcess } from "../../support/service.ts";
import { publishFixture, readAsGuest } from "./fixture.ts";

const fixture = publishFixture(inProcess);

const evil = "export const Run = ({ code }) => <b>{eval(code)}</b>;";
/** Returns dangerous content that differs for each user, because content that somebody has published already is refused. */
const evilOf = (whose: string) => `${evil}\n// ${whose}`;
const component = (ref_id: string) => ({ asset_type: "component", ref_id });

test("what is found has to be confirmed, and importers see that it was overridden", async () => {
  const ann = await fixture.join();
  const refId = await ann.make("component", { source: evil });
  const asked = await ann.publish(component(refId));
  expect(asked).toMatchObject({
    status: 409,
    body: {
      code: "scan_confirmation_required",
      findings: [
        {
          rule: "eval",
          severity: "high",
          line: 1,
          column: evil.indexOf("eval") + 1,
          excerpt: "eval(code)",
          path: "payload.source",
        },
      ],
      scan_token: expect.stringMatching(/^kh_scan_[0-9a-f]{64}$/),
    },
  });
  expect(await fixture.db.sql`select from hub_assets where ref_id = ${refId}`).toHaveLength(0);

  const done = await ann.publish({ ...component(refId), scan_token: asked.body.scan_token });
  expect(done).toMatchObject({ status: 201, body: { findings: asked.body.findings } });
  const { version } = await readAsGuest(fixture.guest, done.body.asset.id);
  expect(version.scan).toEqual({ overridden: true, findings: asked.body.findings });

  // The same content again needs no new confirmation, since it publishes nothing new.
  expect(await ann.publish(component(refId))).toMatchObject({ status: 200, body: { version: 1 } });
  expect(await ann.publish({ ...component(refId), title: "Another title" })).toMatchObject({ status: 409 });
});

test("a preview shows the findings and asks for nothing", async () => {
  const ann = await fixture.join();
  const refId = await ann.make("component", { source: evilOf("a preview") });
  const preview = await ann.publish({ ...component(refId), dry_run: true });
  expect(preview).toMatchObject({ status: 200, body: { findings: [{ rule: "eval" }] } });
  expect(await fixture.db.sql`select from private.hub_scan_tokens where user_id = ${ann.id}`).toHaveLength(0);
});

test("what cannot be parsed is a finding", async () => {
  const ann = await fixture.join();
  const refId = await ann.make("component", { source: "export const = (" });
  expect(await ann.publish(component(refId))).toMatchObject({
    status: 409,
    body: { findings: [{ rule: "unparsable" }] },
  });
});

test("a component with nothing to find is published at once, and says that it was scanned", async () => {
  const ann = await fixture.join();
  const refId = await ann.make("component", { source: "export const A = () => fetch('/api/things');" });
  const done = await ann.publish(component(refId));
  expect(done.status).toBe(201);
  const { version } = await readAsGuest(fixture.guest, done.body.asset.id);
  expect(version.scan).toEqual({ overridden: false, findings: [] });
});

const FIFTEEN_MINUTES = 900_000;

/** Returns the database's time in milliseconds, rounded down like a JavaScript date. */
async function databaseTime(): Promise<number> {
  const [row] = await fixture.db.sql<{ at: Date }[]>`select clock_timestamp() as at`;
  return row?.at.getTime() ?? 0;
}

test("a confirmation is for this content, this user and fifteen minutes", async () => {
  const evil = evilOf("fifteen minutes");
  const [ann, bob] = [await fixture.join(), await fixture.join()];
  const refId = await ann.make("component", { source: evil });
  const ask = async () => (await ann.publish(component(refId))).body.scan_token as string;
  const refused = { status: 409, body: { code: "scan_confirmation_required" } };

  // Other content needs a new confirmation, even of the same item.
  const before = await databaseTime();
  const token = await ask();
  const [row] = await fixture.db
    .sql`select expires_at from private.hub_scan_tokens where user_id = ${ann.id}`;
  expect(row?.expires_at - FIFTEEN_MINUTES).toBeGreaterThanOrEqual(before);
  expect(row?.expires_at - FIFTEEN_MINUTES).toBeLessThanOrEqual(await databaseTime());
  await ann.client
    .from("custom_components")
    .update({ source: `${evil}\nnew Function("x")();` })
    .eq("id", refId);
  expect(await ann.publish({ ...component(refId), scan_token: token })).toMatchObject(refused);
  await ann.client.from("custom_components").update({ source: evil }).eq("id", refId);

  // Another user publishes the same content.
  const theirs = await bob.make("component", { source: evil });
  expect(await bob.publish({ ...component(theirs), scan_token: token })).toMatchObject(refused);

  // The database's clock is moved forward instead of waiting.
  await fixture.db.sql`
    update private.hub_scan_tokens set expires_at = clock_timestamp() - interval '1 ms' where user_id = ${ann.id}`;
  expect(await ann.publish({ ...component(refId), scan_token: token })).toMatchObject(refused);

  // Tokens that are not valid, and an expired one.
  for (const wrong of ["kh_scan_", token.slice(0, -1), `${token}0`, token])
    expect(await ann.publish({ ...component(refId), scan_token: wrong })).toMatchObject(refused);
  const newest = await ask();
  expect(await ann.publish({ ...component(refId), scan_token: newest })).toMatchObject({ status: 201 });
});

test("two windows do not take each other's confirmation, and no more than ten are kept", async () => {
  const ann = await fixture.join();
  const refId = await ann.make("component", { source: evilOf("two windows") });
  const tokens: string[] = [];
  for (let n = 0; n < 12; n += 1) tokens.push((await ann.publish(component(refId))).body.scan_token);
  const kept = await fixture.db.sql`select from private.hub_scan_tokens where user_id = ${ann.id}`;
  expect(kept).toHaveLength(10);
  expect((await ann.publish({ ...component(refId), scan_token: tokens[0] })).status).toBe(409);
  expect((await ann.publish({ ...component(refId), scan_token: tokens[9] })).status).toBe(201);
});

test("every component of a kit is scanned, and one confirmation is for the whole kit", async () => {
  const ann = await fixture.join();
  const components = [
    await ann.make("component", { name: "Fine", source: "export const A = 1;" }),
    await ann.make("component", { name: "Evil", source: evil }),
    await ann.make("component", { name: "Leaving", source: "location.href = 'https://evil.example';" }),
  ];
  const refId = await ann.make("orchestration");
  const items = components.map((ref_id) => ({ asset_type: "component", ref_id }));
  const body = { asset_type: "orchestration", ref_id: refId, items };
  const asked = await ann.publish(body);
  expect(asked.body.findings.map((found: Record<string, unknown>) => [found.path, found.rule])).toEqual([
    ["items.1.payload.source", "eval"],
    ["items.2.payload.source", "redirect"],
  ]);
  // With one more item the kit is different content, which needs another confirmation.
  const more = [...items, { asset_type: "template", ref_id: await ann.make("template") }];
  expect((await ann.publish({ ...body, items: more, scan_token: asked.body.scan_token })).status).toBe(409);
  const done = await ann.publish({ ...body, scan_token: asked.body.scan_token });
  expect(done.status).toBe(201);
  const { version } = await readAsGuest(fixture.guest, done.body.asset.id);
  expect(version.scan).toMatchObject({ overridden: true, findings: asked.body.findings });
});
