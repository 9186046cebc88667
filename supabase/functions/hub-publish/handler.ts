import { PREVIEWS, PUBLISHING, parsePublishRequest, permalink, slugify } from "@keyhub/core/hub";
import { problem } from "@keyhub/core/problem";
import { type Answer, endpoint, type Refusal } from "../_shared/http.ts";
import type { HubDatabase } from "../_shared/hub-database.ts";
import { readRetryable, recallAnswer } from "../_shared/idempotency.ts";
import { identifyUser } from "../_shared/user.ts";
import { type Prepared, prepare } from "./prepare.ts";
import { findUnchanged, readSources } from "./sources.ts";

export interface Dependencies {
  database: HubDatabase;
  /** A number in [0, 1), for slugs that need one. */
  random: () => number;
}

/** POST hub-publish: strips, scans and publishes an item of the caller's workspace, or shows what would be published. */
export function hubPublish({ database, random }: Dependencies): (request: Request) => Promise<Response> {
  const door = {
    name: "hub-publish",
    maxBytes: BODY_BYTES,
    identify: (request: Request) => identifyUser(request, database),
  };
  return endpoint(door, async ({ request, caller: user, body }) => {
    const parsed = parsePublishRequest(body);
    if (!parsed.ok) return { problem: problem("validation_failed", { errors: parsed.faults }) };
    const retryable = await readRetryable(request, parsed.value);
    if ("problem" in retryable) return retryable;
    const recalled = await recallAnswer(database, user.id, "hub-publish", retryable);
    if ("problem" in recalled) return recalled;
    if (recalled.answer !== null) return published(recalled.answer as Publication);

    const { value: wanted } = parsed;
    if (wanted.dryRun) {
      // Counted before the work, which a preview that fails takes as well.
      const begun = await database.callRpc("hub_begin_preview", {
        user_id: user.id,
        hourly_limit: PREVIEWS.perHour,
      });
      if ("problem" in begun) return begun;
    }
    const read = await readSources(database, user.token, wanted);
    if ("problem" in read) return read;
    const prepared = await prepare(wanted, read.sources, user.id, findUnchanged(database));
    if ("problem" in prepared) return prepared;
    const answer = await database.callRpc("hub_publish", {
      user_id: user.id,
      publication: {
        ...prepared.publication,
        slug: slugify(prepared.publication.title, wanted.assetType, random),
      },
      scan_token: wanted.scanToken,
      dry_run: wanted.dryRun,
      hourly_limit: wanted.dryRun ? null : PUBLISHING.perHour,
      ...retryable,
    });
    if (!("problem" in answer)) {
      const publication = answer.data as Publication;
      return wanted.dryRun ? previewed(publication) : published(publication);
    }
    return answer.problem.code === "scan_confirmation_required"
      ? askToConfirm(database, user.id, prepared)
      : answer;
  });
}

/** A publish request is short: what is published is read from the workspace. */
const BODY_BYTES = 262_144;

/** What the RPC gives: a version of the listing as its readers get it, and what was taken out of it. */
interface Publication {
  created: boolean;
  asset: Record<string, unknown> & { asset_type: Parameters<typeof permalink>[0]; slug: string };
  version: number;
  scan: { findings: unknown[] } | null;
  redactions: unknown[];
  [part: string]: unknown;
}

function published({ created, asset, version, redactions, scan }: Publication): Answer {
  return {
    status: created ? 201 : 200,
    body: {
      asset,
      version,
      permalink: permalink(asset.asset_type, asset.slug),
      redactions,
      findings: scan?.findings ?? [],
    },
  };
}

/** The same with all that the public would get, less what only the real thing will have: times, and the id of a new row. */
function previewed(publication: Publication): Answer {
  const { asset, created: _, redactions: __, version, ...content } = publication;
  const unsettled = ["updated_at", "content_updated_at"];
  if (version === 1) unsettled.push("id", "created_at", "published_at");
  const known = Object.fromEntries(Object.entries(asset).filter(([column]) => !unsettled.includes(column)));
  const { body } = published(publication) as { body: Record<string, unknown> };
  return { status: 200, body: { ...body, asset: known, ...content, dry_run: true } };
}

async function askToConfirm(
  database: HubDatabase,
  userId: string,
  { publication, findings }: Prepared,
): Promise<Refusal> {
  const offered = await database.callRpc("hub_offer_scan_token", {
    user_id: userId,
    content_sha256: publication.content_sha256,
    seconds: PUBLISHING.scanTokenSeconds,
  });
  if ("problem" in offered) return offered;
  return { problem: problem("scan_confirmation_required", { findings, scan_token: offered.data }) };
}
