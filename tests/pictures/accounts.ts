import type { Browser, BrowserContext } from "playwright-core";
import type { Stack } from "../../packages/local/src/index.ts";
import { withDatabase } from "../../packages/local/src/index.ts";

export type Member = "member" | "admin";

/** Signs in in a new browser context, and returns the context's storage. */
export async function signedIn(
  browser: Browser,
  url: string,
  email: string,
  password: string,
): ReturnType<BrowserContext["storageState"]> {
  const context = await browser.newContext({ baseURL: url });
  const page = await context.newPage();
  await page.goto("/login?returnTo=/workspace");
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL((address) => address.pathname === "/workspace");
  const state = await context.storageState();
  await context.close();
  return state;
}

/** Copies items of the demo's creators into an empty workspace, and adds reports for the admin. */
export async function fillWorkspace(stack: Stack, email: string): Promise<void> {
  await withDatabase(stack.databaseUrl, async (sql) => {
    const [user] = await sql<{ id: string }[]>`select id from auth.users where email = ${email}`;
    const id = user?.id ?? "";
    await sql`
      insert into public.prompt_templates (user_id, name, content, variables)
      select ${id}, name, content, variables from public.prompt_templates where name in ('Clear meeting minutes', 'SQL from a question', 'Keynote in five slides')`;
    await sql`
      insert into public.custom_components (user_id, name, source, props_schema)
      select ${id}, name, source, props_schema from public.custom_components where name in ('Pipeline progress bar', 'JSON tree')`;
    await sql`
      insert into public.orchestrator_configs (user_id, name, nodes, edges, stage_configs)
      select ${id}, name, nodes, edges, stage_configs from public.orchestrator_configs where name like 'Research brief%'`;
    await sql`
      insert into public.ai_model_settings (user_id, name, model_id, temperature)
      select ${id}, name, model_id, temperature from public.ai_model_settings where name in ('Strict JSON', 'Careful analyst')`;
    // Take listings of a creator who cannot sign in. The triggers, which bind a listing to its creator, are switched off.
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`update public.hub_assets set creator_id = ${id} where slug in ('batch-classifier', 'tastenkuerzel-leiste')`;
    });
    await sql`
      insert into public.hub_stars (asset_id, user_id)
      select a.id, ${id} from public.hub_assets a
      where a.slug in ('json-tree', 'strict-json', 'sql-from-a-question', 'research-brief-in-three-steps')
      on conflict do nothing`;
    await sql`
      insert into public.hub_reports (asset_id, reporter_id, reason, details)
      select a.id, ${id}, 'copyright', 'This text stands in a book of mine, chapter four.'
      from public.hub_assets a where a.slug = 'carte-de-score'`;
  });
}
