import { FORMATS, readForeign, rederive } from "@keyhub/core/formats";
import {
  type Archive,
  type AssetType,
  ambiguousJson,
  archiveOf,
  attributionOf,
  claimOf,
  type Fault,
  IMPORT_BODY_BYTES,
  IMPORTING,
  type ImportRequest,
  type Payload,
  type PlannedRow,
  PREVIEWS,
  parseImportRequest,
  planDocument,
  planListing,
  type RowOf,
  tooManyValues,
  VIA_LIMIT,
  warningsOfDocuments,
  warningsOfListing,
  writeArchive,
} from "@keyhub/core/hub";
import { problem } from "@keyhub/core/problem";
import { endpoint, type Reply } from "../_shared/http.ts";
import type { HubDatabase } from "../_shared/hub-database.ts";
import { getStoredResponse, readIdempotency } from "../_shared/idempotency.ts";
import { identifyGuestOrUser } from "../_shared/user.ts";
import { findListing, findSource, type ImportSource } from "./source.ts";

export interface Dependencies {
  database: HubDatabase;
  /** Returns a new random id. */
  uuid: () => string;
}

/**
 * POST hub-import: copies a listing or a file into the caller's workspace; a caller without an account gets a file instead. GET lists the
 * file formats that can be imported.
 */
export function hubImport({ database, uuid }: Dependencies): (request: Request) => Promise<Response> {
  const options = {
    name: "hub-import",
    maxBytes: IMPORT_BODY_BYTES,
    hasPathSuffix: true,
    identify: (request: Request) => identifyGuestOrUser(request, database),
    excessive: tooManyValues,
    ambiguous: ambiguousJson,
    describe: () => ({
      formats: FORMATS.map(({ id, name, assetType, extension }) => ({
        id,
        name,
        asset_type: assetType,
        extension,
      })),
    }),
  };
  return endpoint(options, async ({ request, caller: user, body, pathSuffix }): Promise<Reply> => {
    const parsed = parseImportRequest(body, pathSuffix);
    if (!parsed.ok) return { problem: problem("validation_failed", { errors: parsed.faults }) };
    const { value: asked } = parsed;
    const file = "text" in asked ? await readForeign(asked.text, asked.filename) : null;
    if (file?.ok === false) return { problem: problem("validation_failed", { errors: file.faults }) };
    const documents = "document" in asked ? [asked.document] : (file?.value.documents ?? []);
    const isForeign = file !== null && file.value.format !== "keyhub";
    const into = "listing" in asked ? asked.into : null;
    if (user === null)
      return into === null
        ? importLocally(database, asked, documents, isForeign)
        : { problem: problem("account_required") };
    const done = asked.dryRun || into !== null ? 200 : 201;

    const idempotency = await readIdempotency(request, asked);
    if ("problem" in idempotency) return idempotency;
    const stored = await getStoredResponse(database, user.id, "hub-import", idempotency);
    if ("problem" in stored) return stored;
    if (stored.response !== null) return { status: done, body: stored.response };
    const source = await findSource(database, user, asked, documents);
    if ("problem" in source) return source;
    const copied = into === null ? null : await findCopy(database, user.id, into);
    if (copied !== null && "problem" in copied) return copied;
    const unread = unreadable(source);
    if (unread.length > 0) return { problem: problem("validation_failed", { errors: unread }) };
    const plan = planOf(source, uuid, isForeign, copied?.rowOf);
    if (plan.rows.some(namesTooMany)) return { problem: problem("too_many_authors") };
    const imported = await database.callRpc("hub_import", {
      user_id: user.id,
      ...plan,
      mode: asked.mode,
      dry_run: asked.dryRun,
      ...("listing" in asked && {
        pinned: asked.version !== null,
        into_copy: into,
        overwrite: asked.overwrite,
      }),
      hourly_limit: (asked.dryRun ? PREVIEWS : IMPORTING).perHour,
      ...idempotency,
    });
    if ("problem" in imported) return imported;
    return { status: done, body: imported.data };
  });
}

/** Returns the import as core plans it: the rows to write and the other arguments of the RPC hub_import. */
function planOf(
  source: ImportSource,
  uuid: () => string,
  isForeign: boolean,
  rowOf?: RowOf,
): Record<string, unknown> & { rows: PlannedRow[] } {
  if ("documents" in source) {
    const documents = source.documents.map(readAgain);
    const [first, second] = documents;
    return {
      rows: documents.flatMap((document) => planDocument(document, uuid)),
      // Only a single asset gives the whole import an attribution: with several assets each row has its own.
      attribution: first && !second ? claimOf(first.attribution) : null,
      warnings: warningsOfDocuments(documents, { isForeign }),
    };
  }
  const { listing } = source;
  return {
    rows: planListing(listing, uuid, rowOf),
    asset_id: listing.id,
    version: listing.version,
    sha256: listing.sha256,
    attribution: attributionOf(listing),
    warnings: warningsOfListing(listing),
  };
}

/** Reads the payloads of a file again from their `source_text`, because somebody may have edited only the text or only the payload. */
function readAgain(document: Archive): Archive {
  const again = <Part extends { payload: Payload }>(part: Part): Part => ({
    ...part,
    payload: rederive(part.payload) ?? {},
  });
  return { ...again(document), items: document.items.map(again) };
}

/** Returns a fault for each source text that is not a file of its format. */
function unreadable(source: ImportSource): Fault[] {
  const documents = "documents" in source ? source.documents : [];
  return documents
    .flatMap(({ payload, items }) => [
      { payload, path: "document" },
      ...items.map((item, n) => ({ payload: item.payload, path: `document.items.${n}` })),
    ])
    .filter(({ payload }) => rederive(payload) === null)
    .map(({ path }) => ({
      path: `${path}.payload.source_text`,
      code: "unreadable",
      message: "is not a file of its format",
    }));
}

/** Finds the rows of a copy, so that an import updates them. `rowOf` returns the id of the row that was copied from an item. */
async function findCopy(database: HubDatabase, userId: string, into: string) {
  const found = await database.callRpc("hub_copy", { user_id: userId, into_copy: into });
  if ("problem" in found) return found;
  const { rows } = found.data as { rows: { asset_type: AssetType; ref_id: string | null; id: string }[] };
  const rowOf: RowOf = ({ asset_type, ref_id }) =>
    rows.find((row) => row.asset_type === asset_type && row.ref_id === ref_id)?.id;
  return { rowOf };
}

/** Returns whether the attribution has too many authors. No author is ever left out, so such a work cannot be copied. */
function namesTooMany({ attribution }: PlannedRow): boolean {
  const { via = [], claimed } = attribution ?? {};
  return Math.max(via.length, claimed?.via?.length ?? 0) > VIA_LIMIT;
}

/** Imports without an account: the answer contains the file, which the client stores. The service stores nothing and counts no import. */
async function importLocally(
  database: HubDatabase,
  asked: ImportRequest,
  documents: readonly Archive[],
  isForeign: boolean,
): Promise<Reply> {
  const answer = (found: { document: unknown; further?: unknown; warnings: unknown }) => ({
    status: 200,
    body: { stored: "local", ...found, ...(asked.dryRun && { dry_run: true }) },
  });
  if (!("listing" in asked)) {
    const [document, ...further] = documents;
    return answer({
      document,
      ...(further.length > 0 && { further }),
      warnings: warningsOfDocuments(documents, { isGuest: true, isForeign }),
    });
  }
  const source = await findListing(database, null, asked);
  if ("problem" in source) return source;
  const written = writeArchive(archiveOf(source.listing));
  if (!written.ok) return { problem: problem("not_exportable", { errors: written.faults }) };
  return answer({ document: written.value, warnings: warningsOfListing(source.listing) });
}
