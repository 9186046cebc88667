import { createHub, type PublishRequest } from "../../packages/hub/src/index.ts";
import { type Stack, withDatabase } from "../../packages/local/src/index.ts";

/** The address of the organization that pictures show. */
export const SHELF = "/orgs/northwind-research";

const SHARED: [name: string, request: Partial<PublishRequest>][] = [
  [
    "SQL from a question",
    { description: "Our tables, our dialect: asks back before it guesses a join.", tags: ["sql"] },
  ],
  ["JSON tree", { description: "Shows the answer of the intake model as a tree.", tags: ["review"] }],
  ["Strict JSON", { description: "The settings that the intake team agreed on.", tags: ["intake"] }],
  [
    "Research brief in three steps",
    { description: "From a question of a client to a brief of two pages.", tags: ["research"] },
  ],
];

/** Makes an organization of the member with people, listings, an invitation and a report; returns the token of a second invitation. */
export async function makeOrganization(stack: Stack, email: string, password: string): Promise<string> {
  const key = stack.env.SUPABASE_PUBLISHABLE_KEY ?? "";
  const answer = await fetch(`${stack.url}/auth/v1/token?grant_type=password`, {
    method: "POST",
    headers: { apikey: key, "Content-Type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  const hub = createHub({ url: stack.url, key, token });
  const { id, slug } = await hub.organizations.create("Northwind Research", "northwind-research");
  await withDatabase(stack.databaseUrl, async (sql) => {
    await sql`
      insert into public.organization_members (organization_id, user_id, role, created_at)
      select ${id}, p.user_id, case when row_number() over (order by p.username) = 1 then 'admin' else 'member' end, now() - interval '40 days'
      from public.hub_profiles p
      where not exists (select from public.organization_members m where m.user_id = p.user_id)
      order by p.username
      limit 5`;
  });
  for (const type of ["template", "component", "ai_preset", "orchestration"] as const) {
    for (const item of await hub.workspace(type).list()) {
      const [, request] = SHARED.find(([name]) => item.name === name) ?? [];
      if (!request) continue;
      const wanted = {
        asset_type: type,
        ref_id: item.id,
        title: item.name,
        license: "cc-by",
        organization: slug,
      };
      await hub.publish({ ...wanted, description: "", ...request } as PublishRequest);
    }
  }
  await withDatabase(stack.databaseUrl, async (sql) => {
    await sql`
      insert into public.hub_reports (asset_id, reporter_id, reason, details)
      select a.id, m.user_id, 'other', 'It still names a client in the second example.'
      from public.hub_assets a
      join public.organization_members m on m.organization_id = a.organization_id and m.role = 'admin'
      where a.title = 'SQL from a question' and a.is_shared`;
  });
  await hub.organizations.invite(id, { max_uses: 25, days: 30 });
  return (await hub.organizations.invite(id)).token;
}
