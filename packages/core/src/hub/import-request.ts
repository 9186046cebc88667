import * as z from "zod/mini";
import { type Parsed, refused, strictFaultsOf } from "../faults.ts";
import { hasRepeatedKeys } from "../json/repeated-keys.ts";
import type { Fault } from "../problem.ts";
import { hasBreaksOrInvisible, hasInvisibleCharacters } from "./characters.ts";
import { type Archive, readArchive } from "./export-file.ts";
import { hostileFaults } from "./json-limits.ts";

export type ImportMode = "use" | "remix";

/** The largest body of hub-import, in bytes: a kit of 5 MB, its orchestration of 1 MB, and room for the indentation of the file. */
export const IMPORT_BODY_BYTES = 8 * 1024 * 1024;

/** The limit of imports into an account, per user and hour. */
export const IMPORTING = { perHour: 120 } as const;

/** A parsed request: it imports a listing by id or slug, a file of Keyhub, or the text of a file of any known tool. */
export type ImportRequest = { mode: ImportMode; dryRun: boolean } & (
  | {
      listing: string;
      version: number | null;
      /** The id in hub_assets of the copy to update in place; null makes a new copy. */
      into: string | null;
      /** True if an update may overwrite edits of the copy's owner. */
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
  /**
   * The name of the file, only for a document that is a text. Some formats are recognized by the name, and the name replaces a missing
   * title.
   */
  filename: z.nullish(z.string().check(z.maxLength(255))),
});

/**
 * Reads the body of hub-import; an empty body means all defaults. `listing` is the last part of the request's path. When it is
 * null, the body must contain a document. Returns the request, or all faults. Unknown fields (such as lineage) are refused.
 */
export function parseImportRequest(body: unknown, listing: string | null): Parsed<ImportRequest> {
  const input = body === undefined ? {} : body;
  // Checks only these members: readArchive checks the document with a greater depth, and the contract refuses unknown members by name.
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
    return refused([
      { path: "filename", code: "unexpected", message: "is only allowed if document is a text" },
    ]);
  const faults = document === null ? [] : invisibleFaults(document.value);
  if (faults.length > 0) return refused(faults);
  if (document !== null) return { ok: true, value: { ...common, document: document.value } };
  const { version, into, overwrite } = data as z.infer<typeof importOfListing>;
  if (overwrite && !into)
    return refused([
      { path: "overwrite", code: "unexpected", message: "is only allowed together with into" },
    ]);
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

/**
 * Returns the faults of invisible characters in a file. Imports of listings skip this check, so that older versions can still be imported.
 */
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

/** Returns a message if an object has the same key twice, which JSON.parse accepts silently; otherwise null. */
export function ambiguousJson(text: string, value: unknown): string | null {
  return hasRepeatedKeys(text, value) ? "An object has the same key twice." : null;
}
