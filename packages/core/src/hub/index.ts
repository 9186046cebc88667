export type { Parsed } from "../faults.ts";
export { JSON_KEYS, JSON_VALUES, manyFault, tooManyValues } from "../json/count-json-values.ts";
export type { Fault } from "../problem.ts";
export {
  ASSET_TYPES,
  ASSETS,
  type AssetType,
  BUNDLE,
  bundleFaults,
  columnsOf,
  jsonBytes,
  type Payload,
  payloadSizeFault,
  permalink,
  shelfLink,
  snapshot,
} from "./assets.ts";
export { collectItems, type ItemRef, type Mode, relink, repoint } from "./bundle.ts";
export { canonicalJson, contentHash } from "./canonical.ts";
export { cutTo, hasBreaksOrInvisible, hasInvisibleCharacters } from "./characters.ts";
export { LISTING, type ParsedPublishRequest, PREVIEWS, PUBLISHING, parsePublishRequest } from "./contract.ts";
export { exportItem, type ItemToExport } from "./export.ts";
export { type Archive, type ArchiveAttribution, readArchive, writeArchive } from "./export-file.ts";
export { claimOf, type PlannedRow, planDocument, planListing, type RowOf } from "./import-plan.ts";
export {
  ambiguousJson,
  IMPORT_BODY_BYTES,
  IMPORTING,
  type ImportMode,
  type ImportRequest,
  parseImportRequest,
} from "./import-request.ts";
export {
  modelsOf,
  type Warning,
  warningsOfDocument,
  warningsOfDocuments,
  warningsOfListing,
} from "./import-warnings.ts";
export { countValues, hostileFaults, JSON_DEPTH, KEY_LENGTH, textFault } from "./json-limits.ts";
export {
  isAsStrict,
  LICENSES,
  type License,
  type LicensedSource,
  licenseProblem,
  requiresAttribution,
  strictest,
} from "./license.ts";
export {
  type Attribution,
  inherit,
  inheritItem,
  licensedSources,
  type Origin,
  VIA_LIMIT,
} from "./lineage.ts";
export {
  type CleanPublication,
  type Publication,
  type PublishedItem,
  redactPublication,
} from "./publication.ts";
export { SLUG_LENGTH, slugCandidates, slugify } from "./slug.ts";
export {
  archiveOf,
  attributionOf,
  type Copyable,
  holdsVersion,
  isCopyable,
  type StoredAsset,
  versionOf,
} from "./stored-asset.ts";
export { MODEL_TAG, normaliseTags, TAGS } from "./tags.ts";
