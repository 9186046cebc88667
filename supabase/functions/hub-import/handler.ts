import {
  ambiguousJson,
  archiveOf,
  attributionOf,
  claimOf,
  IMPORT_BODY_BYTES,
  IMPORTING,
  type ImportRequest,
  type PlannedRow,
  PREVIEWS,
  parseImportRequest,
  planDocument,
  planListing,
  tooManyValues,
  VIA_LIMIT,
  warningsOfDocument,
  warningsOfListing,
  writeArchive,
} from "@keyhub/core/hub";
import { problem } from "@keyhub/core/problem";
import { type Answer, endpoint } from "../_shared/http.ts";
import type { HubDatabase } from "../_shared/hub-database.ts";
import { readRetryable, recallAnswer } from "../_shared/idempotency.ts";
import { identifyGuestOrUser } from "../_shared/user.ts";
import { findListing, findSource, type Source } from "./source.ts";

export interface Dependencies {
  database: HubDatabase;
  /** A new random id. */
  uuid: () => string;
}

/** POST hub-import: copies a listing or a file into the caller's workspace; who has no account gets it as a file. */
export function hubImport({ database, uuid }: Dependencies): (request: Request) => Promise<Response> {
  const door = {
    name: "hub-import",
    maxBytes: IMPORT_BODY_BYTES,
    below: true,
    identify: (request: Request) => identifyGuestOrUser(request, database),
    excessive: tooManyValues,
    ambiguous: ambiguousJson,
  };
  return endpoint(door, async ({ request, caller: user, body, below }): Promise<Answer> => {
    const parsed = parseImportRequest(body, below);
    if (!parsed.ok) return { problem: problem("validation_failed", { errors: parsed.faults }) };
    const { value: asked } = parsed;
    if (user === null) return importLocally(database, asked);

    const retryable = await readRetryable(request, asked);
    if ("problem" in retryable) return retryable;
    const recalled = await recallAnswer(database, user.id, "hub-import", retryable);
    if ("problem" in recalled) return recalled;
    if (recalled.answer !== null) return { status: 201, body: recalled.answer };
    const source = await findSource(database, user, asked);
    if ("problem" in source) return source;
    const plan = planOf(source, uuid);
    if (plan.rows.some(namesTooMany)) return { problem: problem("too_many_authors") };
    const imported = await database.callRpc("hub_import", {
      user_id: user.id,
      ...plan,
      mode: asked.mode,
      dry_run: asked.dryRun,
      hourly_limit: (asked.dryRun ? PREVIEWS : IMPORTING).perHour,
      ...retryable,
    });
    if ("problem" in imported) return imported;
    return { status: asked.dryRun ? 200 : 201, body: imported.data };
  });
}

/** What core decides of an import, as the RPC takes it. */
function planOf(source: Source, uuid: () => string): Record<string, unknown> & { rows: PlannedRow[] } {
  if ("document" in source) {
    const { document } = source;
    const rows = planDocument(document, uuid);
    return { rows, attribution: claimOf(document.attribution), warnings: warningsOfDocument(document) };
  }
  const { listing } = source;
  return {
    rows: planListing(listing, uuid),
    asset_id: listing.id,
    version: listing.version,
    sha256: listing.sha256,
    attribution: attributionOf(listing),
    warnings: warningsOfListing(listing),
  };
}

/** Authors are never left out; what has too many of them cannot be copied. */
function namesTooMany({ attribution }: PlannedRow): boolean {
  return (attribution?.via ?? []).length > VIA_LIMIT;
}

/** The import of somebody without an account: the file, to be kept where they are. Nothing is written or counted. */
async function importLocally(database: HubDatabase, asked: ImportRequest): Promise<Answer> {
  const answer = (found: { document: unknown; warnings: unknown }) => ({
    status: 200,
    body: { stored: "local", ...found, ...(asked.dryRun && { dry_run: true }) },
  });
  if ("document" in asked) {
    return answer({ document: asked.document, warnings: warningsOfDocument(asked.document) });
  }
  const source = await findListing(database, null, asked);
  if ("problem" in source) return source;
  const written = writeArchive(archiveOf(source.listing));
  if (!written.ok) return { problem: problem("not_exportable", { errors: written.faults }) };
  return answer({ document: written.value, warnings: warningsOfListing(source.listing) });
}
