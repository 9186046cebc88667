import type { SupabaseClient } from "@supabase/supabase-js";
import { makeUser } from "../../support/hub.ts";
import { count, type Load, pick, tokenOf } from "./discovery-shared.ts";

/**
 * The number of acts of one user before the next user continues. So nobody reaches an hourly limit, and a listing gets reports of enough
 * users to be hidden.
 */
const ACTS = 5;

/** Acts as one user after another. Its number decides whether it stars, reports, publishes and unpublishes, or hides as an admin. */
export async function writer(load: Load, number: number): Promise<void> {
  const admin = load.service.client(tokenOf(load.admin));
  while (performance.now() < load.end) {
    const userId = await makeUser(load.sql);
    const token = tokenOf(userId);
    const client = load.service.client(token);
    for (let act = 0; act < ACTS && performance.now() < load.end; act += 1) {
      if (number < 6) await star(load, client, await visible(load));
      else if (number < 11) await report(load, client, await visible(load, 3));
      else if (number < 15) await publish(load, client, token);
      else await hide(load, admin, await visible(load));
    }
  }
}

/** Returns a random listing that was visible a moment ago: one of the newest `among`, or one of all. */
async function visible(load: Load, among?: number): Promise<string> {
  const rows = among
    ? await load.sql`select id from hub_assets where is_visible order by published_at desc, id desc limit ${among}`
    : await load.sql`select id from hub_assets where is_visible and id > gen_random_uuid() order by id limit 1`;
  return pick(rows)?.id ?? load.roots[0] ?? "";
}

async function star(load: Load, client: SupabaseClient, assetId: string): Promise<void> {
  const { error } = await client.from("hub_stars").upsert({ asset_id: assetId }, { ignoreDuplicates: true });
  note(load, "star", error);
}

async function report(load: Load, client: SupabaseClient, assetId: string): Promise<void> {
  const { error } = await client.from("hub_reports").insert({ asset_id: assetId, reason: "spam" });
  // The random choice may give one user the same listing twice.
  if (error?.message !== "already_reported") note(load, "report", error);
  // This report or a report of another user may have reached the threshold, which hides the listing.
  const [row] = await load.sql<
    { hidden: boolean }[]
  >`select is_hidden as hidden from hub_assets where id = ${assetId}`;
  if (row?.hidden) committed(load, assetId);
}

async function publish(load: Load, client: SupabaseClient, token: string): Promise<void> {
  const { data, error } = await client
    .from("prompt_templates")
    .insert({ name: "An item", content: "Say hello to {{name}}" })
    .select("id")
    .single();
  if (error !== null) return note(load, "make", error);
  const response = await load.service.fetch("/functions/v1/hub-publish", {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify({
      ...{ asset_type: "template", ref_id: data.id, title: "A meeting report", description: "Of a soak." },
      license: "platform-free",
    }),
  });
  const body = (await response.json()) as { asset?: { id: string }; code?: string };
  note(load, "publish", response.ok ? null : { code: String(response.status), message: body.code ?? "" });
  const id = body.asset?.id;
  if (id === undefined || Math.random() < 0.5) return;
  const { error: refused } = await client.rpc("hub_unpublish_asset", { asset_id: id });
  note(load, "unpublish", refused);
  if (refused === null) committed(load, id);
}

async function hide(load: Load, admin: SupabaseClient, assetId: string): Promise<void> {
  const { error } = await admin.rpc("hub_hide_asset", { asset_id: assetId, note: "of a soak" });
  note(load, "hide", error);
  if (error === null) committed(load, assetId);
}

function committed(load: Load, assetId: string): void {
  if (!load.hidden.has(assetId)) load.hidden.set(assetId, load.hidden.size);
}

function note(load: Load, kind: string, error: { code?: string; message: string } | null): void {
  count(load.done, kind);
  if (error === null) return;
  // A listing that somebody else has hidden meanwhile cannot be starred, reported or hidden any more.
  const isDocumented =
    error.code === "42501" || /already_hidden|asset_not_found|not_visible/.test(error.message);
  if (isDocumented) count(load.told, `${kind}: ${error.message.slice(0, 40)}`);
  else load.broken.push(`${kind}: ${error.code} ${error.message}`);
}
