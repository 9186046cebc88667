/* tsc checks this file with everything else; nothing runs it. A wrong name must not compile, so @ts-expect-error is required. */
import { PostgrestClient } from "@supabase/postgrest-js";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import type * as z from "zod/mini";
import type { Database } from "../../../packages/core/src/database.types.ts";
import type { contracts } from "../../../packages/core/src/hub/contracts/index.ts";
import type * as answers from "../../../packages/hub/src/answers.ts";
import { createHub, type Hub } from "../../../packages/hub/src/index.ts";

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Inferred<Name extends keyof typeof contracts> = z.infer<(typeof contracts)[Name]>;

/** The generated types are what zod infers of the contracts. */
export const generated: [
  Same<answers.Asset, Inferred<"Asset">>,
  Same<answers.AssetAnswer, Inferred<"AssetAnswer">>,
  Same<answers.FacetedPage, Inferred<"FacetedPage">>,
  Same<answers.Preview, Inferred<"Preview">>,
  Same<answers.ImportAnswer, Inferred<"ImportAnswer">>,
  Same<answers.Updates, Inferred<"Updates">>,
  Same<answers.ReviewQueue, Inferred<"ReviewQueue">>,
  Same<answers.Decisions, Inferred<"Decisions">>,
  Same<answers.OpenAppeals, Inferred<"OpenAppeals">>,
] = [true, true, true, true, true, true, true, true, true];

/**
 * If an answer repeats columns of a table, their types are those of database.types.ts. Only enumerations differ: there they are strings.
 */
export const assetRow = (row: answers.AssetRow): Omit<Tables["hub_assets"]["Row"], "attribution"> => row;
export const listingRow = (row: answers.ListingRow): Omit<Views["hub_listings"]["Row"], "creator"> => row;
type Tables = Database["public"]["Tables"];
type Views = Database["public"]["Views"];

/** Accepts clients with or without types, with either library or none. */
export const hubs = (untyped: SupabaseClient): Hub[] => [
  createHub(createClient<Database>("u", "k")),
  createHub(createClient("u", "k")),
  createHub(untyped),
  createHub(new PostgrestClient<Database>("u")),
  createHub(new PostgrestClient("u"), { functions: { url: "u", key: "k" } }),
  createHub({ url: "u", key: "k" }),
];

export async function wrong(hub: Hub): Promise<void> {
  // @ts-expect-error an argument that does not exist
  await hub.search({ query: "x" });
  // @ts-expect-error a type that does not exist
  await hub.search({ types: ["prompt"] });
  // @ts-expect-error a search has sorts of its own, not columns
  await hub.search({ sort: "star_count.desc" });
  // @ts-expect-error a search without facets returns no `facets`
  (await hub.search({ q: "x" })).facets;
  // @ts-expect-error a tombstone has no payload
  (await hub.asset("slug")).payload;
  // @ts-expect-error the reason `other` needs details
  await hub.report("id", "other");
  // @ts-expect-error a reason that does not exist
  await hub.report("id", "boring");
  // @ts-expect-error ref_id is not refId
  await hub.publish({ asset_type: "template", refId: "id", title: "t", description: "d", license: "cc0" });
  // @ts-expect-error a mode that does not exist
  await hub.importAsset("slug", { mode: "copy" });
  // @ts-expect-error a column of another type of item
  await hub.workspace("template").create({ name: "n", source: "s" });
  // @ts-expect-error a column that the database fills in
  await hub.workspace("template").update("id", { user_id: "me" });
  // @ts-expect-error a note is needed
  await hub.moderation.hide("id");
  // @ts-expect-error the outcome is upheld or dismissed
  await hub.moderation.resolveReport("id", "accepted");
  // @ts-expect-error a connection needs an address and a key
  createHub({ url: "u" });
}
