import type { BrowserContext, Page } from "playwright-core";
import postgres from "postgres";
import { beforeAll, expect, test } from "vitest";
import { makeAsset, makeUser } from "../../support/hub.ts";
import { stack, violations, visit } from "../fixture.ts";
import { type Account, account, continueAs, finish, signUp } from "../people.ts";

interface Origin {
  parent?: { slug: string };
  claimed?: { title: string };
}

async function query<Row extends object>(ask: (sql: postgres.Sql) => Promise<Row[]>): Promise<Row[]> {
  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => {} });
  return ask(sql).finally(() => sql.end());
}

/** Returns the templates of an account with their attributions, the oldest first. */
const templatesOf = (email: string) =>
  query(
    (sql) => sql<{ id: string; name: string; content: string; attribution: Origin | null }[]>`
      select t.id, t.name, t.content, a.attribution
      from public.prompt_templates t
      left join public.hub_assets a on a.id = t.hub_asset_id
      join auth.users u on u.id = t.user_id
      where u.email = ${email}
      order by t.created_at`,
  );

const IMPORTS = "**/functions/v1/hub-import";

const EDITED = { name: "My minutes", content: "My minutes, edited: {{transcript}}" };

/** The storage of a guest's browser that has one item: an edited copy of "Clear meeting minutes". */
let storage: Awaited<ReturnType<BrowserContext["storageState"]>>;
beforeAll(async () => {
  const guest = await visit("/hub/templates/clear-meeting-minutes");
  await edit(guest.page, EDITED.name);
  storage = await guest.page.context().storageState({ indexedDB: true });
  await finish(guest);
});

/** Opens a path as the guest who has edited the copy. */
const guestWithCopy = (path = "/favicon.svg") => visit(path, { storageState: storage });

/** Opens the workspace with a new account in the browser of a guest. */
async function becomeMember(page: Page): Promise<Account> {
  const who = await account();
  await continueAs(page, who);
  return who;
}

/** Takes the template of an open page into the workspace, and edits it there. */
async function edit(page: Page, name: string): Promise<void> {
  await page.getByRole("link", { name: "Use this", exact: true }).click();
  await page.getByRole("link", { name: "Open", exact: true }).click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel(/^Prompt/).fill(`${name}, edited: {{transcript}}`);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
}

/** Returns the number of items that the browser has stored. `forget the original` also removes their originals. */
function changeStored(page: Page, change: "forget the original" | "read"): Promise<number> {
  return page.evaluate(
    (what) =>
      new Promise<number>((resolve, reject) => {
        const opening = indexedDB.open("keyhub-lite", 1);
        opening.onerror = reject;
        opening.onsuccess = () => {
          const store = opening.result.transaction("items", "readwrite").objectStore("items");
          const reading = store.getAll();
          reading.onsuccess = () => {
            for (const { original: _, ...item } of what === "read" ? [] : reading.result) store.put(item);
            store.transaction.oncomplete = () => {
              opening.result.close();
              resolve(reading.result.length);
            };
          };
        };
      }),
    change,
  );
}

test("what a guest edited keeps its verified origin in the account, a pipeline with its templates too", async () => {
  const guest = await guestWithCopy("/hub/orchestrations/research-brief-in-three-steps");
  const { page } = guest;
  await page.getByRole("link", { name: "Use this", exact: true }).click();
  await page.getByRole("link", { name: "Open", exact: true }).click();
  await page.getByLabel("Name", { exact: true }).fill("My brief");
  // A guest reads and edits the prompts of the kit.
  await page.getByText("Check a claim against its source").first().click();
  await page.getByLabel("Prompt of Check a claim against its source").fill("Is {{claim}} right? {{why}}");
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  const { email } = await becomeMember(page);
  await page.getByRole("link", { name: "My minutes" }).waitFor();
  await page.getByRole("link", { name: "My brief" }).waitFor();

  const templates = await templatesOf(email);
  const minutes = templates.find(({ name }) => name === "My minutes");
  expect(minutes?.content).toBe(EDITED.content);
  expect(minutes?.attribution?.parent?.slug).toBe("clear-meeting-minutes");
  const [brief] = await query(
    (sql) => sql<{ attribution: Origin; stages: { prompt_template_id: string }[] }[]>`
      select a.attribution, o.stage_configs as stages
      from public.orchestrator_configs o
      join public.hub_assets a on a.id = o.hub_asset_id
      join auth.users u on u.id = o.user_id
      where u.email = ${email} and o.name = 'My brief'`,
  );
  expect(brief?.attribution.parent?.slug).toBe("research-brief-in-three-steps");
  const check = templates.find(({ name }) => name === "Check a claim against its source");
  expect(check?.content).toBe("Is {{claim}} right? {{why}}");
  // The links of the stages lead to the templates of the kit.
  const own = templates.filter(({ name }) => name !== "My minutes").map(({ id }) => id);
  expect(own).toHaveLength(3);
  expect(brief?.stages.map((stage) => stage.prompt_template_id).sort()).toEqual(own.sort());
  expect(await changeStored(page, "read")).toBe(0);
  await finish(guest);
});

test("a move that breaks off is finished later, by two tabs at once, without a second copy and without undoing later edits", async () => {
  const guest = await guestWithCopy();
  const { page } = guest;
  // The import reaches the server, but every request that stores an edit (PATCH) is aborted.
  const edits = (route: {
    request(): { method(): string };
    abort(): Promise<void>;
    fallback(): Promise<void>;
  }) => (route.request().method() === "PATCH" ? route.abort() : route.fallback());
  await page.context().route("**/rest/v1/prompt_templates*", edits);
  const email = await signUp(page);
  await page.getByRole("link", { name: "Clear meeting minutes" }).waitFor();
  // When this text is shown, the workspace has tried to store the edits again.
  await page.getByText("It is tried again whenever you open this page").waitFor();
  expect((await templatesOf(email)).map(({ name }) => name)).toEqual(["Clear meeting minutes"]);
  expect(await changeStored(page, "read")).toBe(1);

  await page.context().unroute("**/rest/v1/prompt_templates*", edits);
  // The first tab is in the middle of the move when the second begins: the second one waits, and does nothing twice.
  const other = await page.context().newPage();
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/rest/v1/prompt_templates*", async (route) => {
    if (route.request().method() === "PATCH") await released;
    await route.fallback();
  });
  const isWriting = page.waitForRequest((request) => request.method() === "PATCH");
  await page.goto("/workspace");
  await isWriting;
  const written: string[] = [];
  other.on("request", (request) => request.method() === "PATCH" && written.push(request.url()));
  await other.goto("/workspace");
  const waiting = () => other.evaluate(async () => (await navigator.locks.query()).pending?.length);
  await expect.poll(waiting, { timeout: 10_000 }).toBe(1);
  release();
  for (const tab of [page, other]) await tab.getByRole("link", { name: EDITED.name }).waitFor();
  expect(written).toEqual([]);
  const [moved, ...more] = await templatesOf(email);
  expect(more).toEqual([]);
  expect(moved?.content).toBe(EDITED.content);
  expect(moved?.attribution?.parent?.slug).toBe("clear-meeting-minutes");
  expect(await changeStored(page, "read")).toBe(0);
  guest.complaints = guest.complaints.filter((one) => !one.includes("ERR_FAILED"));
  await finish(guest);
});

test("a half moved item that was edited in the account meanwhile is kept beside those edits", async () => {
  const guest = await guestWithCopy();
  const { page } = guest;
  await page.route("**/rest/v1/prompt_templates*", (route) =>
    route.request().method() === "PATCH" ? route.abort() : route.fallback(),
  );
  const { email } = await becomeMember(page);
  await page.getByText("One item is still in this browser only").waitFor();
  await query(
    (sql) => sql`update public.prompt_templates set name = 'Edited elsewhere' where id in (
    select t.id from public.prompt_templates t join auth.users u on u.id = t.user_id where u.email = ${email})`,
  );
  await page.unroute("**/rest/v1/prompt_templates*");
  await page.goto("/workspace");
  await page.getByRole("link", { name: EDITED.name }).waitFor();
  const both = await templatesOf(email);
  expect(both.map(({ name }) => name)).toEqual(["Edited elsewhere", EDITED.name]);
  expect(both.map(({ attribution }) => attribution?.parent?.slug)).toEqual(
    both.map(() => "clear-meeting-minutes"),
  );
  guest.complaints = guest.complaints.filter((one) => !one.includes("ERR_FAILED"));
  await finish(guest);
});

test("items whose original is gone from the hub, or was never kept by the browser, move with their edits and name their origin", async () => {
  await query(async (sql) => {
    const creator = await makeUser(sql);
    await makeAsset(sql, {
      ...{ creator, slug: "soon-gone", title: "Soon gone" },
      payload: { name: "Soon gone", content: "{{transcript}}", variables: [] },
    });
    return [];
  });
  // An older version of the pages stored items without their originals, as this item is stored below.
  const guest = await guestWithCopy();
  const { page } = guest;
  await changeStored(page, "forget the original");
  await page.goto("/hub/templates/soon-gone");
  await edit(page, "Kept all the same");
  await query(
    (sql) => sql`update public.hub_assets set deleted_at = now(), is_public = false where slug = 'soon-gone'`,
  );
  const { email } = await becomeMember(page);
  await page.getByRole("link", { name: EDITED.name }).waitFor();
  await page.getByRole("link", { name: "Kept all the same" }).waitFor();
  const found = await templatesOf(email);
  expect(
    found.map(({ name, content, attribution }) => [name, content, attribution?.claimed?.title]).sort(),
  ).toEqual([
    ["Kept all the same", "Kept all the same, edited: {{transcript}}", "Soon gone"],
    [EDITED.name, EDITED.content, "Clear meeting minutes"],
  ]);
  await finish(guest);
});

test("what the hub cannot be asked about stays in the browser, and moves when the workspace is opened again", async () => {
  const guest = await guestWithCopy();
  const { page } = guest;
  await page.route(IMPORTS, (route) => route.abort());
  const { email } = await becomeMember(page);
  await page.getByText("One item is still in this browser only").waitFor();
  expect(await templatesOf(email)).toEqual([]);
  expect(await changeStored(page, "read")).toBe(1);
  await page.unroute(IMPORTS);
  await page.goto("/workspace");
  await page.getByRole("link", { name: EDITED.name }).waitFor();
  expect(await page.getByText("in this browser only").count()).toBe(0);
  guest.complaints = guest.complaints.filter((one) => !one.includes("ERR_FAILED"));
  await finish(guest);
});
