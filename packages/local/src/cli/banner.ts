import { relative } from "node:path";
import { repositoryRoot } from "../settings/paths.ts";
import type { StackSettings } from "../settings/settings.ts";
import type { Stack } from "../stack.ts";

/** Returns the text that `npm start` prints when the stack is ready: addresses, and commands to paste. */
export function banner(stack: Stack, settings: StackSettings, seconds: number): string {
  const { env, url } = stack;
  const bearer = `-H 'Authorization: Bearer ${env.KEYHUB_AGENT_TOKEN}'`;
  const json = "-H 'Content-Type: application/json'";
  const report = `{"lease_id":"<lease_id>","status":"fail","error_code":429}`;
  return `
Keyhub is ready after ${seconds.toFixed(1)} s.

  The hub      ${url}/hub
  API          ${url}  (/rest/v1, /auth/v1, /functions/v1)
  Database     127.0.0.1:${new URL(stack.databaseUrl).port}  (whole URL in ${shown(settings.envFile)}: SUPABASE_DB_URL)
  Payments     ${env.KEYHUB_PAYMENTS}  (a stand-in: no money moves)
  Demo agent   ${env.KEYHUB_AGENT_TOKEN}

Get a key:
  curl -X POST ${url}/functions/v1/get-active-key ${bearer}

Search the hub:
  curl '${url}/rest/v1/hub_listings?select=slug,title,star_count&order=star_count.desc&limit=5' -H 'apikey: ${env.SUPABASE_PUBLISHABLE_KEY}'

Report that the provider answered 429, with the lease_id of that answer:
  curl -X POST ${url}/functions/v1/set-key-state ${bearer} ${json} -d '${report}'

See why a function answered 500:
  npm run logs -- get-active-key

Ctrl-C stops it; the data stays in ${shown(settings.dataDir)}.
`;
}

function shown(path: string): string {
  const short = relative(repositoryRoot, path);
  return short.startsWith("..") ? path : short;
}
