import { describe, expect, test } from "vitest";
import { star } from "../../../support/hub.ts";
import { makeTeam, refusal } from "../../../support/organizations.ts";
import { as, db, share, shelf, team, useShelfFixture } from "./fixture.ts";

useShelfFixture();

describe("hub_shelf", () => {
  test("filters, sorts and searches as hub_search does", async () => {
    const plan = await share(team.member, { title: "Budget plan", tags: ["gpt-4o", "1ton"], license: "cc0" });
    const talk = await share(team.owner, {
      title: "Talk to a whale",
      description: "About the budget.",
      tags: ["whale"],
    });
    const code = await share(team.admin, {
      type: "component",
      title: "Progress bar",
      tags: ["whale"],
      payload: { source: "x" },
    });
    await star(as(team.owner), plan.asset_id);
    const ids = async (args: Record<string, unknown>) =>
      (await shelf(team.owner, args)).items.map(({ id }) => id);
    const [a, b, c] = [plan.asset_id, talk.asset_id, code.asset_id];
    expect(await ids({})).toEqual([c, b, a]);
    expect(await ids({ sort: "most_starred" })).toHaveLength(3);
    expect((await ids({ sort: "most_starred" }))[0]).toBe(a);
    expect(await ids({ sort: "recently_updated" })).toEqual([c, b, a]);
    expect(await ids({ types: ["component"] })).toEqual([c]);
    expect(await ids({ tags: ["whale"] })).toEqual([c, b]);
    expect(await ids({ license: "cc0" })).toEqual([a]);
    expect(await ids({ model: "gpt-4o", cardinality: "1toN" })).toEqual([a]);
    const [{ username } = {}] = await db.sql`select username from hub_profiles where user_id = ${team.owner}`;
    expect(await ids({ creator: username })).toEqual([b]);
    expect(await ids({ creator: "nobody-of-this-name" })).toEqual([]);
    expect(await ids({ q: "budget" })).toEqual([a, b]);
    expect(await ids({ q: "Talk to a whale" })).toEqual([b]);
    expect(await ids({ q: "zzz" })).toEqual([]);
    await as(team.owner).run((tx) => tx`update hub_assets set title = 'Speak to a whale' where id = ${b}`);
    expect(await ids({ q: "speak" })).toEqual([b]);
  });

  test.each(["newest", "most_starred", "recently_updated", "most_installed", "relevance"])(
    "pages of %s: nothing twice, nothing lost; a cursor belongs to its shelf",
    async (sort) => {
      for (let n = 0; n < 7; n += 1) await share(team.member, { title: `Paged ${n}` });
      const seen: string[] = [];
      const args = { sort, page_size: 3, ...(sort === "relevance" && { q: "paged" }) };
      let cursor: string | null = null;
      do {
        const page = await shelf(team.owner, { ...args, cursor });
        seen.push(...page.items.map(({ id }) => id));
        cursor = page.next_cursor;
        const other = await makeTeam(db);
        if (cursor !== null) {
          const there = { ...args, cursor, organization: other.slug };
          expect(await refusal(as(other.owner), "hub_shelf", there)).toBe("malformed_cursor");
          expect(await refusal(as(team.owner), "hub_search", { ...args, cursor })).toBe("malformed_cursor");
        }
      } while (cursor !== null);
      expect(seen).toHaveLength(7);
      expect(new Set(seen).size).toBe(7);
    },
  );

  test.each(["%", "_", "\\", "foo &", ":*", "'", "a".repeat(501), "\u0001"])(
    "%j is a query or 422",
    async (q) => {
      expect(["validation_failed", null]).toContain(
        await refusal(as(team.owner), "hub_shelf", { organization: team.slug, q }),
      );
    },
  );
});
