import {
  ASSETS,
  ambiguousJson,
  collectItems,
  contentHash,
  exportItem,
  holdsVersion,
  hostileFaults,
  IMPORT_BODY_BYTES,
  normaliseTags,
  parseImportRequest,
  parsePublishRequest,
  planDocument,
  planListing,
  readArchive,
  redactPublication,
  slugCandidates,
  slugify,
  tooManyValues,
  warningsOfDocument,
  warningsOfListing,
  writeArchive,
} from "../../../packages/core/src/hub/index.ts";
import {
  classify,
  parseLeaseRequest,
  parseReportRequest,
  readWait,
} from "../../../packages/core/src/keys/index.ts";
import { redact, residualSecrets } from "../../../packages/core/src/redact/index.ts";
import { scanComponent } from "../../../packages/core/src/scan/index.ts";
import { sources } from "./code.ts";
import { assetOf, fileAround, fileOf, kitOf, PLACES } from "./documents.ts";
import { preparePublication } from "./prepared.ts";
import { type Shape, texts, values } from "./shapes.ts";
import { WHOLE_BYTES, wholeAssets } from "./whole-assets.ts";

/**
 * One entry point of core: the largest size of its input in bytes, the shapes of inputs, and the call of core with a prepared input.
 */
export interface Entry {
  name: string;
  bytes: number;
  shapes: (seed: number, count: number) => Shape[];
  work: (input: string) => unknown;
}

const KEY_BODY = 524_288;
const PUBLISH_BODY = 262_144;
const random = () => 0.5;
let ids = 0;
const uuid = () => `00000000-0000-4000-8000-${String(ids++ % 1e12).padStart(12, "0")}`;

/** Returns bodies for hub-import, with a hostile value in each place of a file in turn, or as the whole body; then whole assets. */
const imports = (seed: number, count: number): Shape[] => [
  ...values(seed, Math.ceil(count / 2)).map(({ name, make, always }, n): Shape => {
    const at = PLACES[n % (PLACES.length + 1)];
    if (at === undefined) return { name: `${name}, as the body`, always, make };
    const body = (size: number) => `{"document":${fileAround(make(size - 400), at)}}`;
    return { name: `${name}, as ${at}`, always, make: body };
  }),
  ...wholeAssets(seed, Math.floor(count / 2)).map((shape) => ({
    ...shape,
    make: (size: number) => `{"document":${fileOf(JSON.parse(shape.make(size)))}}`,
  })),
];
const FIELDS = [
  "title",
  "description",
  "tags",
  "items",
  "thumbnail_url",
  "scan_token",
  "mode",
  "unknown",
  "ref_id",
];
const publications = (seed: number, count: number): Shape[] =>
  values(seed, count).map(({ name, make, always }, n) => {
    const field = FIELDS[n % FIELDS.length];
    const body = (size: number) => `{"asset_type":"template","${field}":${make(size - 100)}}`;
    return { name: `${name}, as ${field}`, always, make: body };
  });
const reports = (seed: number, count: number): Shape[] =>
  values(seed, count).map(({ name, make, always }, n) => {
    const field = ["error_message", "error_code", "retry_after", "provider", "unknown", "lease_id"][n % 6];
    return {
      name: `${name}, as ${field}`,
      always,
      make: (size) => `{"status":"fail","${field}":${make(size - 60)}}`,
    };
  });

const asDocument = (input: string) => assetOf("orchestration", JSON.parse(input));
const asListing = (input: string) => ({
  ...asDocument(input),
  ...{
    id: uuid(),
    slug: "s",
    creator: null,
    creator_id: null,
    remix_depth: 0,
    is_visible: true,
    lineage: null,
  },
  ...{
    attribution: null,
    current_version: 1,
    version: 1,
    ...{ version_license: "cc0" as const, version_organization_id: null },
    scan: null,
    items: [],
  },
});
const KIT_ITEMS = 20;
const asPublication = (input: string) => {
  const { title, tags, payload } = asDocument(input);
  return { title, description: "d", tags, thumbnail_url: null, payload, items: [] };
};
const asKit = (input: string) => {
  const { payload, items } = kitOf(() => input, KIT_ITEMS * ASSETS.template.bytes);
  return { title: "t", description: "d", tags: [], thumbnail_url: null, payload, items };
};
const templateBytes = ASSETS.template.bytes - 500;
const orchestrationBytes = ASSETS.orchestration.bytes - 500;

/** All parts of core that read data which somebody sends or stores. Each part is one entry. */
export const ENTRIES: readonly Entry[] = [
  {
    name: "keys/parseLeaseRequest",
    bytes: KEY_BODY,
    shapes: reports,
    work: (body) => parseLeaseRequest(JSON.parse(body)),
  },
  {
    name: "keys/parseReportRequest",
    bytes: KEY_BODY,
    shapes: reports,
    work: (body) => parseReportRequest(JSON.parse(body)),
  },
  {
    name: "keys/classify code",
    bytes: KEY_BODY,
    shapes: texts,
    work: (text) => classify({ status: "fail", errorCode: text }),
  },
  {
    name: "keys/classify message",
    bytes: KEY_BODY,
    shapes: texts,
    work: (text) =>
      [400, 401, 403, 429].map((code) => classify({ status: "fail", errorCode: code, errorMessage: text })),
  },
  { name: "keys/readWait", bytes: KEY_BODY, shapes: texts, work: (text) => readWait(text, text) },
  {
    name: "hub/parsePublishRequest",
    bytes: PUBLISH_BODY,
    shapes: publications,
    work: (body) => parsePublishRequest(JSON.parse(body)),
  },
  { name: "hub/import body", bytes: IMPORT_BODY_BYTES, shapes: imports, work: readImport },
  {
    name: "hub/hostileFaults",
    bytes: IMPORT_BODY_BYTES,
    shapes: values,
    work: (text) => whenCounted(text, hostileFaults),
  },
  {
    name: "hub/readArchive",
    bytes: IMPORT_BODY_BYTES,
    shapes: values,
    work: (text) =>
      whenCounted(text, (value) =>
        readArchive({ ...assetOf("template", ""), payload: { variables: value } }),
      ),
  },
  {
    name: "hub/writeArchive",
    bytes: orchestrationBytes,
    shapes: values,
    work: (text) => flat(text, () => writeArchive(asDocument(text))),
  },
  {
    name: "hub/warningsOfDocument",
    bytes: orchestrationBytes,
    shapes: values,
    work: (text) => flat(text, () => warningsOfDocument(asDocument(text))),
  },
  {
    name: "hub/warningsOfListing",
    bytes: orchestrationBytes,
    shapes: values,
    work: (text) => flat(text, () => warningsOfListing(asListing(text))),
  },
  {
    name: "hub/warnings of a component",
    bytes: ASSETS.component.bytes,
    shapes: texts,
    work: (text) => warningsOfDocument(assetOf("component", text)),
  },
  {
    name: "hub/planDocument",
    bytes: orchestrationBytes,
    shapes: values,
    work: (text) => flat(text, () => planDocument(asDocument(text), uuid)),
  },
  {
    name: "hub/planListing",
    bytes: orchestrationBytes,
    shapes: values,
    work: (text) => flat(text, () => planListing(asListing(text), uuid)),
  },
  {
    name: "hub/collectItems",
    bytes: orchestrationBytes,
    shapes: values,
    work: (text) =>
      collectItems("bundle", { ref_id: uuid(), payload: { stage_configs: [JSON.parse(text)] } }, []),
  },
  {
    name: "hub/contentHash",
    bytes: orchestrationBytes,
    shapes: values,
    work: (text) => flat(text, (value) => contentHash(value)),
  },
  {
    name: "hub/holdsVersion",
    bytes: orchestrationBytes,
    shapes: values,
    work: (text) => flat(text, () => holdsVersion(asDocument(text), asListing(text))),
  },
  {
    name: "redact/redact",
    bytes: orchestrationBytes,
    shapes: values,
    work: (text) => redact(JSON.parse(text)),
  },
  {
    name: "redact/residualSecrets",
    bytes: orchestrationBytes,
    shapes: values,
    work: (text) => residualSecrets(JSON.parse(text)),
  },
  {
    name: "hub/redactPublication",
    bytes: orchestrationBytes,
    shapes: values,
    work: (text) => whenCounted(text, () => redactPublication(asPublication(text))),
  },
  {
    name: "hub/redactPublication of a kit",
    bytes: templateBytes,
    shapes: values,
    // As in the function: an answer of the database with too many values is refused before it is parsed.
    work: (text) =>
      whenCounted(`[${Array(KIT_ITEMS).fill(text).join()}]`, () => redactPublication(asKit(text))),
  },
  {
    name: "hub/exportItem",
    bytes: templateBytes,
    shapes: values,
    work: (text) =>
      flat(text, (value) =>
        exportItem({ asset_type: "template", row: { id: uuid(), name: "n", variables: [value] } }),
      ),
  },
  {
    name: "hub/slugify",
    bytes: IMPORT_BODY_BYTES,
    shapes: texts,
    work: (text) => [slugify(text, "template", random), slugCandidates(text, "template", random).next()],
  },
  { name: "hub/normaliseTags", bytes: PUBLISH_BODY, shapes: texts, work: (text) => normaliseTags([text]) },
  {
    name: "scan/scanComponent",
    bytes: ASSETS.component.bytes,
    shapes: sources,
    work: (text) => scanComponent(text),
  },
  { name: "hub-publish/prepare", bytes: WHOLE_BYTES, shapes: wholeAssets, work: preparePublication },
];

/** The name of the row for hub-publish with large data in the workspace. The body of hub-publish itself is short. */
export const IN_WORKSPACE = "hub-publish of the workspace";

/** The requests for each function: the largest size, and the shapes. */
export const SENT: Record<string, Pick<Entry, "bytes" | "shapes">> = {
  "get-active-key": { bytes: KEY_BODY, shapes: reports },
  "set-key-state": { bytes: KEY_BODY, shapes: reports },
  "hub-publish": { bytes: PUBLISH_BODY, shapes: publications },
  [IN_WORKSPACE]: { bytes: WHOLE_BYTES, shapes: wholeAssets },
  "hub-import": { bytes: IMPORT_BODY_BYTES, shapes: imports },
};

/** Reads a body like hub-import, which refuses some bodies before it parses them. */
function readImport(body: string): unknown {
  return whenCounted(body, (value) => {
    const refused = ambiguousJson(body, value) !== null;
    const parsed = refused ? undefined : parseImportRequest(value, null);
    if (parsed?.ok && "document" in parsed.value)
      return [warningsOfDocument(parsed.value.document), planDocument(parsed.value.document, uuid)];
    return parsed;
  });
}

function whenCounted<T>(text: string, work: (value: unknown) => T): T | null {
  return tooManyValues(text) === null ? work(JSON.parse(text)) : null;
}

/** Runs work that hashes a value, but only for values that the contract accepts, as in the functions. */
function flat(text: string, work: (value: unknown) => unknown): unknown {
  const value = JSON.parse(text);
  return hostileFaults(value).length > 0 ? null : work(value);
}
