import { type Context, NotFound, requireListing, versionOf } from "../context.ts";
import { HubError } from "../data/hub.ts";
import { json, problem } from "../http/respond.ts";
import { assetJson } from "../page-formats/asset-json.ts";

/** Answers `GET /api/hub/:id` with an id or a slug. It is for programs, so errors are problems. */
export async function openJson(context: Context, idOrSlug: string): Promise<Response> {
  try {
    const asset = await context.hub.asset(idOrSlug, versionOf(context.url));
    if (asset.deleted) return await json(context.request, asset, { status: 410 });
    return await json(context.request, assetJson(requireListing(asset), context.origin, context.api));
  } catch (error) {
    if (error instanceof NotFound || (error instanceof HubError && error.problem.status === 404)) {
      return problem(context.request, 404, "asset_not_found", "There is no such listing.");
    }
    throw error;
  }
}
