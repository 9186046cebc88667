import { PREVIEWS, PUBLISHING, parsePublishRequest, permalink, shelfLink, slugify } from "@keyhub/core/hub";
import { problem } from "@keyhub/core/problem";
import { endpoint, type Refusal, type Reply } from "../_shared/http.ts";
import type { HubDatabase } from "../_shared/hub-database.ts";
import { getStoredResponse, readIdempotency } from "../_shared/idempotency.ts";
import { identifyUser } from "../_shared/user.ts";
import { type Prepared, prepare } from "./prepare.ts";
import { findUnchanged, readSources } from "./sources.ts";

export interface Dependencies {
  database: HubDatabase;
  /** Returns a number in [0, 1), for the random slug of a title that cannot itself become a slug. */
  random: () => number;
}

/** POST hub-publish: publishes an item of the caller's workspace without its secrets, after a scan, or shows what would be published. */
export function hubPublish({ database, random }: Dependencies): (request: Request) => Promise<Response> {
  const options = {
    name: "hub-publish",
    maxBytes: BODY_BYTES,
    identify: (request: Request) => identifyUser(request, database),
  };
  return endpoint(options, async ({ request, caller: user, body }) => {
    const parsed = parsePublishRequest(body);
    if (!parsed.ok) return { problem: problem("validation_failed", { errors: parsed.faults }) };
    const idempotency = await readIdempotency(request, parsed.value);
    if ("problem" in idempotency) return idempotency;
    const stored = await getStoredResponse(database, user.id, "hub-publish", idempotency);
    if ("problem" in stored) return stored;
    const { value: wanted } = parsed;
    if (stored.response !== null) return published(stored.response as Publication, wanted.organization);

    if (wanted.dryRun) {
      // The preview is counted before its work, because a preview that fails costs as much as one that succeeds.
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
      hourly_limit: PUBLISHING.perHour,
      ...idempotency,
    });
    if (!("problem" in answer)) {
      const publication = answer.data as Publication;
      return wanted.dryRun
        ? previewed(publication, prepared, wanted.organization)
        : published(publication, wanted.organization);
    }
    return answer.problem.code === "scan_confirmation_required"
      ? askToConfirm(database, user.id, prepared)
      : answer;
  });
}

/** The largest publish request in bytes. The limit is low, because the content is read from the workspace and not sent. */
const BODY_BYTES = 262_144;

/** The answer of the RPC: the version of the listing as readers get it, and the list of redacted places. */
interface Publication {
  created: boolean;
  asset: Record<string, unknown> & { asset_type: Parameters<typeof permalink>[0]; slug: string };
  version: number;
  label: string | null;
  changelog: string | null;
  same_as: string | null;
  scan: { findings: unknown[] } | null;
  redactions: unknown[];
  [part: string]: unknown;
}

function published(publication: Publication, organization: string | null): Reply {
  const { created, asset, version, label, changelog, same_as, redactions, scan } = publication;
  return {
    status: created ? 201 : 200,
    body: {
      asset,
      ...{ version, label, changelog },
      permalink:
        organization === null
          ? permalink(asset.asset_type, asset.slug)
          : shelfLink(organization.toLowerCase(), asset),
      same_as: same_as ?? null,
      redactions,
      findings: scan?.findings ?? [],
    },
  };
}

/**
 * Returns the answer to a preview: the answer of `published` with the whole content added. The times of the publication and the id of a new
 * listing are left out, because only a real publication has them.
 */
function previewed(publication: Publication, { hints }: Prepared, organization: string | null): Reply {
  const { asset, created: _, redactions: __, version, ...content } = publication;
  const unsettled = ["updated_at", "content_updated_at", "shared_at"];
  if (version === 1) unsettled.push("id", "created_at", "published_at");
  const known = Object.fromEntries(Object.entries(asset).filter(([column]) => !unsettled.includes(column)));
  const { body } = published(publication, organization) as { body: Record<string, unknown> };
  return { status: 200, body: { ...body, hints, asset: known, ...content, dry_run: true } };
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
