import type { SupabaseClient } from "@supabase/supabase-js";
import { expect, test } from "vitest";
import { blocksOf } from "../support/docs/pages.ts";
import { inProcess } from "../support/service.ts";
import { importFixture } from "./import/fixture.ts";

/* Tests the queries of the README and docs/api/hub.md exactly as they are there, for callers who see more of the tables than a guest. */

const fixture = importFixture(inProcess);

/**
 * Runs the code block of a docs page that contains these words. It replaces the page's client and slug by the given ones. Returns the
 * block's output.
 */
async function shown(page: string, words: string, client: SupabaseClient, slug: string): Promise<unknown> {
  const block = blocksOf(page).find(({ language, text }) => language === "js" && text.includes(words));
  const lines = (block?.text ?? "").split("\n").filter((line) => !/^import |createClient/.test(line));
  const text = lines.join("\n").replace(/id_or_slug: "[\w-]+"/, `id_or_slug: "${slug}"`);
  const printed: string[] = [];
  const AsyncFunction = (async () => {}).constructor as new (
    ...args: string[]
  ) => (...given: unknown[]) => Promise<void>;
  await new AsyncFunction("supabase", "console", text)(client, { log: (line: string) => printed.push(line) });
  return JSON.parse(printed.join("\n"));
}

test("browse and read: guest, owner of two versions, importer and admin get the same", async () => {
  const { creator, ref, id, slug } = await fixture.list();
  await creator.client.from("prompt_templates").update({ content: "The second" }).eq("id", ref);
  expect((await creator.publish({ ref_id: ref })).body.version).toBe(2);
  const importer = await fixture.join();
  expect((await fixture.import(importer, `/${slug}`)).status).toBe(201);
  const { id: hidden } = await fixture.list({ creator });
  const admin = await fixture.join();
  const { sql } = fixture.db;
  await sql`insert into hub_admins (user_id) values (${admin.id})`;
  await sql`update hub_assets set is_hidden = true, hidden_reason = 'moderator' where id = ${hidden}`;
  // All other rows get more stars, so that a row that must not be listed would come first.
  await sql`update hub_assets set star_count = 5 where id <> ${id}`;

  const callers = {
    guest: fixture.guest,
    owner: creator.client,
    importer: importer.client,
    admin: admin.client,
  };
  for (const [who, client] of Object.entries(callers)) {
    const { count } = await client.from("hub_assets").select("id", { count: "exact" });
    expect(count, who).toBe({ guest: 1, owner: 2, importer: 2, admin: 3 }[who]);
    for (const page of ["README.md", "docs/api/hub.md"])
      expect(await shown(page, "hub_listings", client, slug), `${who}: ${page}`).toMatchObject([{ slug }]);
    expect(await shown("docs/api/hub.md", '"hub_asset"', client, slug), who).toMatchObject({
      ...{ id, version: 2, payload: { content: "The second" } },
    });
  }
});
