import * as z from "zod/mini";
import { ASSET_TYPES, ASSETS } from "../asset-types.ts";
import { archive, archiveAttribution } from "../export-file.ts";
import { assetType } from "./card.ts";
import { finding } from "./scan.ts";

const warningOf = <Code extends string, Shape extends z.core.$ZodShape>(code: Code, members: Shape) =>
  z.strictObject({ code: z.literal(code), message: z.string(), ...members });

const texts = z.array(z.string());
const credits = z.array(z.strictObject({ title: z.string(), creator: z.nullable(z.string()) }));

const requirements = z.array(
  z.strictObject({
    kind: z.enum(["credential", "model", "package", "setting", "version", "license"]),
    name: z.string(),
  }),
);

/** A warning for the importer. Programs should read `code`, which is stable, and not `message`. */
export const warning = z.union([
  warningOf("scan_overridden", { findings: z.optional(z.array(finding)) }),
  warningOf("newer_version", { current_version: z.int() }),
  warningOf("credit_required", { titles: texts, credits }),
  warningOf("platform_only", { titles: texts }),
  warningOf("models_needed", { models: texts }),
  warningOf("keys_needed", { keys: texts }),
  warningOf("hosts_contacted", { hosts: texts }),
  warningOf("setup_needed", { requirements }),
  warningOf("lineage_claimed", {}),
  warningOf("name_taken", { wanted: z.string(), title: z.string() }),
]);

const dryRun = { dry_run: z.optional(z.literal(true)) };

/** The answer of hub-import for an import into an account. Only a dry run returns null as `id` and `hub_asset_id`. */
export const cloudImport = z.strictObject({
  stored: z.literal("cloud"),
  created: z.array(
    z.strictObject({
      asset_type: assetType,
      table: z.enum(ASSET_TYPES.map((type) => ASSETS[type].table)),
      id: z.nullable(z.guid()),
      hub_asset_id: z.nullable(z.guid()),
      title: z.string(),
    }),
  ),
  attribution: z.nullable(archiveAttribution),
  warnings: z.array(warning),
  ...dryRun,
});

/** The answer of hub-import for a guest: the file, which the client stores because the hub does not. */
export const localImport = z.strictObject({
  stored: z.literal("local"),
  document: archive,
  /** The other assets, if the file contains several. */
  further: z.optional(z.array(archive)),
  warnings: z.array(warning),
  ...dryRun,
});

export const importAnswer = z.union([cloudImport, localImport]);

/** The answer of GET hub-import: the formats that a document may have besides Keyhub's own. */
export const formatList = z.strictObject({
  formats: z.array(
    z.strictObject({ id: z.string(), name: z.string(), asset_type: assetType, extension: z.string() }),
  ),
});
