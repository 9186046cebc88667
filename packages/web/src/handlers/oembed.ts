import { type Context, requireListing } from "../context.ts";
import { json, problem } from "../http/respond.ts";
import { oembed, slugOf } from "../page-formats/oembed.ts";

/** Answers `GET /api/oembed?url=`, which tells another site how to show a listing (oembed.com). */
export async function oembedReply(context: Context): Promise<Response> {
  const { url, request, origin, api, hub } = context;
  if ((url.searchParams.get("format") ?? "json") !== "json") {
    return problem(request, 501, "format_not_supported", "Only format=json is supported.");
  }
  const slug = slugOf(url.searchParams.get("url") ?? "", origin);
  if (slug === null)
    return problem(request, 404, "asset_not_found", "url is not the address of a listing on this hub.");
  return json(request, oembed(requireListing(await hub.asset(slug)), origin, api));
}
