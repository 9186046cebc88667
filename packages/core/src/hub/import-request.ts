import * as z from "zod/mini";
import { type Parsed, refused, strictFaultsOf } from "../faults.ts";
import { hasRepeatedKeys } from "../json/repeated-keys.ts";
import type { Fault } from "../problem.ts";
import { type Archive, readArchive } from "./export-file.ts";
import { hasBreaksOrInvisible, hasInvisibleCharacters } from "./invisible.ts";
import { hostileFaults } from "./json-limits.ts";

export type ImportMode = "use" | "remix";

/** Largest body of hub-import, in bytes: a kit of 5 MB and its orchestration of 1 MB, with room for an indented file. */
export const IMPORT_BODY_BYTES = 8 * 1024 * 1024;

/** Imports into an account, per user and hour. */
export const IMPORTING = { perHour: 120 } as const;

/** The source of an import: a listing by id or slug, a file of Keyhub, or the text of a file of any known tool. */
export type ImportRequest = { mode: ImportMode; dryRun: boolean } & (
  | {
      listing: string;
      version: number | null;
      /** The copy to update in place, by its id in hub_assets; null: a new copy. */
      into: string | null;
      /** Whether an update may replace what the owner of the copy has edited. */
      overwrite: boolean;
    }
  | { document: Archive }
  | { text: string; filename: string | null }
);

const options = { mode: z.nullish(z.enum(["use", "remix"])), dry_run: z.nullish(z.boolean()) };
export const importOfListing = z.strictObject({
  ...options,
  version: z.nullish(z.int().check(z.minimum(1), z.maximum(2_147_483_647))),
  into: z.nullish(z.guid()),
  overwrite: z.nullish(z.boolean()),
});
export const importOfDocument = z.strictObject({
  ...options,
  document: z.union([z.record(z.string(), z.unknown()), z.string().check(z.minLength(1))]),
  /** Of a document that is a text: some formats are told by it, and it stands in for a title. */
  filename: z.nullish(z.string().check(z.maxLength(255))),
});

/**
 * Reads the body of hub-import; an empty body means all defaults. `listing` is the last part of the path; without one (null) the
 * body must have a document. Returns all faults; unknown fields (such as lineage) are refused.
 */
export function parseImportRequest(body: unknown, listing: string | null): Parsed<ImportRequest> {
  const input = body === undefined ? {} : body;
  // The document has its own check of depth; unknown members are refused by name anyway.
  const given = Object(input) as Record<string, unknown>;
  const { mode, dry_run, version: wanted, filename } = given;
  const hostile = hostileFaults({ mode, dry_run, version: wanted, filename });
  if (hostile.length > 0) return { ok: false, faults: hostile };
  const parsed = z.safeParse(listing === null ? importOfDocument : importOfListing, input);
  const isText = typeof given.document === "string";
  const document =
    listing === null && parsed.success && !isText ? readArchive(given.document, "document") : null;
  if (!parsed.success || document?.ok === false) {
    const issues = parsed.success ? [] : parsed.error.issues;
    const faults = strictFaultsOf(issues, input);
    return refused([...faults, ...(document?.ok === false ? document.faults : [])]);
  }
  const { data } = parsed;
  const common = { mode: data.mode ?? "use", dryRun: data.dry_run ?? false };
  if (listing === null && isText) {
    const { document: text, filename: name } = data as { document: string; filename?: string | null };
    return { ok: true, value: { ...common, text, filename: name ?? null } };
  }
  if (document !== null && given.filename != null)
    return refused([{ path: "filename", code: "unexpected", message: "is of a document that is a text" }]);
  const faults = document === null ? [] : invisibleFaults(document.value);
  if (faults.length > 0) return refused(faults);
  if (document !== null) return { ok: true, value: { ...common, document: document.value } };
  const { version, into, overwrite } = data as z.infer<typeof importOfListing>;
  if (overwrite && !into)
    return refused([{ path: "overwrite", code: "unexpected", message: "is of an update: into is missing" }]);
  return {
    ok: true,
    value: {
      ...common,
      listing: (listing ?? "").toLowerCase(),
      version: version ?? null,
      into: into?.toLowerCase() ?? null,
      overwrite: overwrite ?? false,
    },
  };
}

/** A file's texts are shown like those of a listing, so invisible characters are faults. Older published versions are exempt. */
function invisibleFaults({ title, description, items }: Archive): Fault[] {
  const titles = [title, ...items.map((item) => item.title)];
  const faults = titles.flatMap((text, i): Fault[] =>
    hasBreaksOrInvisible(text)
      ? [
          {
            path: i === 0 ? "document.title" : `document.items.${i - 1}.title`,
            code: "invalid_text",
            message: "must be one line without invisible characters",
          },
        ]
      : [],
  );
  if (description !== null && hasInvisibleCharacters(description)) {
    const message = "must be without invisible characters";
    faults.push({ path: "document.description", code: "invalid_text", message });
  }
  return faults;
}

/** What JSON.parse accepts silently but is ambiguous (repeated keys), as a detail; null when there is nothing. */
export function ambiguousJson(text: string, value: unknown): string | null {
  return hasRepeatedKeys(text, value) ? "An object has the same key twice." : null;
}
