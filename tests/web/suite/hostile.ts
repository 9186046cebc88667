import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addSource, assetTypes, makeAsset, makeUser, sourceTable } from "../../support/hub.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { COLOUR_RULES, stack, type Visit, violations } from "../fixture.ts";
import { finish, member, signedIn } from "../people.ts";

let sql: postgres.Sql;
beforeAll(() => {
  sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => {} });
});
afterAll(() => sql?.end());

const MARKUP = "\"><img src=x onerror=alert(1)><script>alert(2)</script>{{x}}'";
/** 120 characters: U+202E, which reverses the order of the letters after it and has no end here, and a long word. */
const TURNED = `\u202e${"W".repeat(119)}`;
const NAMES = [MARKUP, TURNED, "会議の議事録を作成するテンプレート".repeat(7).slice(0, 120)];

/** Hostile content for the fields of each type; fields for lists also get values of unexpected types. */
const CONTENT: Record<(typeof assetTypes)[number], Record<string, unknown>> = {
  template: { content: `${MARKUP}${TURNED}`, variables: [{ name: MARKUP, description: TURNED }, null, 7] },
  component: { source: `// ${MARKUP}\nexport default () => null`, props_schema: { title: MARKUP } },
  orchestration: {
    nodes: [
      { id: MARKUP, type: TURNED, position: { x: "1" }, data: { label: MARKUP } },
      {
        ...{ id: "note", type: "note", width: 200, height: 90 },
        data: { label: MARKUP, parameters: { text: TURNED + MARKUP } },
      },
      {
        id: "n",
        type: MARKUP,
        data: { label: TURNED, parameters: { [MARKUP]: TURNED, deep: { [TURNED]: [MARKUP] } } },
      },
      null,
      7,
    ],
    edges: [{ id: "e", source: MARKUP, target: MARKUP }],
    stage_configs: [{ id: "s", name: TURNED, node_id: MARKUP }, null],
  },
  ai_preset: { model_id: MARKUP, thinking_level: TURNED, extra: { [MARKUP]: TURNED } },
};

/** Adds items and listings of an account, with hostile text in every field. */
async function fill(userId: string): Promise<void> {
  await sql.begin(async (tx) => {
    // The hub refuses characters that reverse the order; the pages must handle them nevertheless.
    await tx`set local session_replication_role = replica`;
    for (const type of assetTypes) {
      for (const name of NAMES) {
        const id = await addSource(tx as unknown as postgres.Sql, userId, type);
        const row = { name, ...json(tx, CONTENT[type]) };
        await tx`update ${tx(sourceTable(type))} set ${tx(row)} where id = ${id}`;
      }
    }
  });
  for (const [i, name] of NAMES.entries()) {
    const { id } = await makeAsset(sql, { creator: userId, slug: `hostile-app-${i}`, title: `Hostile ${i}` });
    const reporter = await makeUser(sql);
    await sql`
      insert into hub_reports (asset_id, reporter_id, reason, details)
      values (${id}, ${reporter}, 'other', ${`${MARKUP}${"W".repeat(200)}`})`;
    await sql`insert into hub_stars (asset_id, user_id) values (${id}, ${userId})`;
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`update hub_assets set title = ${name}, description = ${name} where id = ${id}`;
    });
    await sql`insert into hub_featured (asset_id, position) values (${id}, ${90 + i})`;
  }
}

function json(tx: postgres.TransactionSql, columns: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, value]) => [
      name,
      typeof value === "object" ? tx.json(value as never) : value,
    ]),
  );
}

type Theme = "light" | "dark";

/** Checks that the page shows texts as texts, fits the narrowest window, and has no finding of axe in these themes; in the long form in both. */
async function look({ page }: Visit, what: string, themes: Theme[]): Promise<void> {
  expect(await page.locator("#app img[src=x], #app script").count(), what).toBe(0);
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    const { needs, inside } = await page.evaluate(() => {
      const dialog = document.querySelector("dialog[open]");
      return {
        needs: document.documentElement.scrollWidth,
        inside: dialog ? dialog.scrollWidth - dialog.clientWidth : 0,
      };
    });
    expect(
      [needs <= width, inside <= 0],
      `${what} at ${width} needs ${needs}, and ${inside} more inside`,
    ).toEqual([true, true]);
  }
  if (LONG_TESTS || themes.includes("light")) expect(await violations(page), `${what} light`).toEqual([]);
  if (!LONG_TESTS && !themes.includes("dark")) return;
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await violations(page, COLOUR_RULES), `${what} dark`).toEqual([]);
  await page.emulateMedia({ colorScheme: "light" });
}

test("hostile text in every field stays text on the pages of members and admins, fits, and is accessible in both themes", async () => {
  const options = { colorScheme: "light", reducedMotion: "reduce" } as const;
  const visitor = await member("/favicon.svg", options);
  const { page, complaints, id: userId } = visitor;
  page.on("dialog", () => complaints.push("a dialog"));
  await fill(userId);
  await page.goto("/workspace");
  await page.getByRole("link", { name: MARKUP }).first().waitFor();
  await look(visitor, "workspace", ["light"]);
  for (const type of assetTypes) {
    const [item] = await sql<{ id: string }[]>`
      select id from ${sql(sourceTable(type))} where user_id = ${userId} and name = ${MARKUP}`;
    await page.goto(`/workspace/${type}/${item?.id}`);
    await page.getByLabel("Name", { exact: true }).waitFor();
    // The pages of all types have the same parts. One type has them all, so the colours and the dialogs are tried with it.
    const isTried = type === "orchestration";
    await look(visitor, type, isTried ? ["light", "dark"] : []);
    await page.getByRole("button", { name: "Share" }).click();
    await page.getByLabel(/^Description/).fill(MARKUP);
    // selling.ts looks at this dialog with axe.
    if (isTried) await look(visitor, "share", []);
    await page.getByRole("button", { name: "Look at what will be public" }).click();
    await page.locator("dialog").getByRole("button", { name: "Publish", exact: true }).waitFor();
    expect(await page.locator("dialog h3").first().textContent()).toBe(MARKUP);
    await look(visitor, `${type} shared`, isTried ? ["light", "dark"] : []);
  }
  await page.goto("/workspace/listings");
  await page
    .getByRole("article", { name: MARKUP })
    .getByRole("button", { name: "Edit", exact: true })
    .click();
  await look(visitor, "listings", ["light"]);
  await page.goto("/workspace/stars");
  await page.getByRole("link", { name: MARKUP }).waitFor();
  await look(visitor, "stars", ["light"]);
  if (LONG_TESTS) {
    await page.goto("/workspace/profile");
    await page.getByLabel("User name").waitFor();
    await look(visitor, "profile", ["light"]);
  }
  await finish(visitor);

  const { KEYHUB_ADMIN_EMAIL = "", KEYHUB_DEMO_PASSWORD = "" } = stack.env;
  const admin = await signedIn(KEYHUB_ADMIN_EMAIL, KEYHUB_DEMO_PASSWORD, "/favicon.svg", options);
  admin.page.on("dialog", () => admin.complaints.push("a dialog"));
  await admin.page.goto("/admin");
  await admin.page.getByRole("article", { name: MARKUP }).waitFor();
  await admin.page.getByRole("button", { name: `Take out ${MARKUP}` }).waitFor();
  await look(admin, "admin", ["light", "dark"]);
  await finish(admin);
  await sql`delete from hub_featured where position >= 90`;
});
