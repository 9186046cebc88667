import * as z from "zod/mini";
import { ASSET_TYPES, BUNDLE } from "../../../../packages/core/src/hub/assets.ts";
import { LISTING, publishRequest } from "../../../../packages/core/src/hub/contract.ts";
import { contracts } from "../../../../packages/core/src/hub/contracts/index.ts";
import { archive, archiveItem } from "../../../../packages/core/src/hub/export-file.ts";
import { importOfDocument, importOfListing } from "../../../../packages/core/src/hub/import-request.ts";
import { SHAPES } from "../../../../packages/core/src/hub/payload.ts";
import { TAGS } from "../../../../packages/core/src/hub/tags.ts";
import { describe, describeMembers, inside, type Schema, trimmed } from "../describe.ts";
import type { Operation } from "../operation.ts";

const NULL_OR_EMPTY: Schema = { anyOf: [{ type: "null" }, { type: "array", maxItems: 0 }] };
const IS_ORCHESTRATION: Schema = { properties: { asset_type: { const: "orchestration" } } };

const title = { pattern: trimmed(LISTING.title) };
const description = { pattern: trimmed(LISTING.description) };
const TAGS_SAID = `At most ${TAGS.count} different ones of 1 to ${TAGS.length} characters. Case and a leading # do not count.`;

describe(publishRequest, "What to publish, and how it is presented.", {
  anyOf: [IS_ORCHESTRATION, { properties: { mode: { type: "null" }, items: NULL_OR_EMPTY } }],
});
describeMembers(publishRequest, {
  ref_id: "The caller's own row of that type.",
  title: [
    `1 to ${LISTING.title} visible characters on one line. The slug is made from the first title.`,
    title,
  ],
  description: [`1 to ${LISTING.description} characters.`, description],
  tags: [TAGS_SAID, { maxItems: TAGS.count * 5 }],
  thumbnail_url: "An https address without user information.",
  mode: "For an orchestration: `bundle` (default) embeds the templates that it links to, `pipeline` none.",
  items: "For an orchestration: further items of the caller, which are published in it as a kit.",
  label: `The name of the version, such as 1.2: at most ${LISTING.label} characters on one line, unique in the listing.`,
  changelog: `What changed, in plain text: at most ${LISTING.changelog} characters.`,
  organization:
    "The slug of an organization of the caller: only its members see the listing. Without it everybody does.",
  scan_token: "From a `scan_confirmation_required` problem: confirms the findings of the scan.",
  dry_run: "true: returns what the public would get, and writes nothing.",
});
describe(inside(publishRequest.shape.thumbnail_url), "", {
  pattern: "^[hH][tT][tT][pP][sS]:\\S+$",
  maxLength: LISTING.thumbnailUrl,
});
for (const note of ["label", "changelog"] as const)
  describe(inside(publishRequest.shape[note]), "", { pattern: trimmed(LISTING[note], true) });
describe(inside(publishRequest.shape.items), "", { maxItems: BUNDLE.items });

const PAYLOADS = {
  orchestration: "OrchestrationPayload",
  template: "TemplatePayload",
  component: "ComponentPayload",
  ai_preset: "PresetPayload",
} as const;
const payloadOfType: Schema = {
  anyOf: ASSET_TYPES.map((type) => ({
    properties: {
      asset_type: { const: type },
      payload: { $ref: `#/components/schemas/${PAYLOADS[type]}` },
    },
  })),
};
/** Rules that refer to other schemas of the document. They are added when the document is made. */
export const rules: Record<string, Schema> = {
  Archive: {
    allOf: [payloadOfType, { anyOf: [IS_ORCHESTRATION, { properties: { items: { maxItems: 0 } } }] }],
  },
  ArchiveItem: payloadOfType,
};

describe(archive, "An asset as a file. `sha256` is the hash of the payload in the form of RFC 8785.");
describeMembers(archive, {
  title: ["", title],
  description: ["", {}],
  tags: [TAGS_SAID, { maxItems: TAGS.count * 5 }],
  items: ["The items of an orchestration.", { maxItems: BUNDLE.items }],
});
describe(inside(archive.shape.description), "", { pattern: trimmed(LISTING.description, true) });
describeMembers(archiveItem, { title: ["", title] });

/** The functions parse the file separately from the rest of the body. The document shows both in one contract. */
const documentRequest = z.strictObject({
  ...importOfDocument.shape,
  document: z.union([archive, z.string().check(z.minLength(1))]),
});
describe(documentRequest, "A file, and what to do with it.", {
  anyOf: [{ properties: { document: { type: "string" } } }, { properties: { filename: { type: "null" } } }],
});
describeMembers(documentRequest, {
  document: "An asset of Keyhub, or the whole text of a file of any known tool.",
  filename: "The file name of a text: some formats are recognized by it, and it replaces a missing title.",
});
describe(importOfListing, "All members are optional; so is the body.", {
  anyOf: [
    { properties: { overwrite: { enum: [false, null] } } },
    { required: ["into"], properties: { into: { type: "string" } } },
  ],
});
for (const request of [documentRequest, importOfListing]) {
  describeMembers(request, {
    mode: "`use` (default), or `remix`: the copy names its parent from the start.",
    dry_run: "true: returns what would be made, and writes nothing.",
  });
}
describeMembers(importOfListing, {
  version: "A version that is not the current one; the copy is pinned to it.",
  into: "The id in hub_assets of a copy of the caller's: its content is replaced in place.",
  overwrite: "With `into`: also replaces edited content of the copy; hub_restore_copy restores it.",
});

const {
  Published: published,
  Preview: preview,
  CloudImport: cloudImport,
  ImportAnswer: imported,
} = contracts;
const publishedOrPreviewed = z.union([published, preview]);

/** The contracts by their names in the document. */
export const schemas = {
  PublishRequest: publishRequest,
  ImportRequest: importOfListing,
  DocumentImportRequest: documentRequest,
  OrchestrationPayload: SHAPES.orchestration,
  TemplatePayload: SHAPES.template,
  ComponentPayload: SHAPES.component,
  PresetPayload: SHAPES.ai_preset,
  Archive: archive,
  ArchiveItem: archiveItem,
  ArchiveAttribution: contracts.ArchiveAttribution,
  ArchiveOrigin: contracts.ArchiveOrigin,
  AssetRow: contracts.AssetRow,
  Lineage: contracts.Lineage,
  Published: published,
  Preview: preview,
  Finding: contracts.Finding,
  Scan: contracts.Scan,
  Warning: contracts.Warning,
  CloudImport: cloudImport,
  LocalImport: contracts.LocalImport,
  Tombstone: contracts.Tombstone,
  ShownAttribution: contracts.ShownAttribution,
};

const REF = "d6e42173-e149-4efb-a095-5fdc27a77162";
const importCodes = [
  "banned",
  "purchase_required",
  "asset_not_found",
  "too_many_authors",
  "idempotency_key_reused",
  "limit_reached",
  "rate_limited",
] as const;
const importAnswers = {
  200: {
    description: "Without an account: the file. With `dry_run`: the plan. With `into`: the rows of the copy.",
    contract: imported,
  },
  201: { description: "The copies in the caller's workspace.", contract: cloudImport },
};

export const operations: readonly Operation[] = [
  {
    path: "/hub-publish",
    operationId: "publish",
    tag: "hub",
    summary: "Publish an item",
    description:
      "Removes secrets, scans components, and publishes an item of the caller's workspace as a listing or a new version of it.",
    callers: ["accessToken"],
    idempotent: true,
    body: {
      contract: publishRequest,
      required: true,
      example: {
        asset_type: "template",
        ref_id: REF,
        title: "Polite reply",
        description: "Answers a mail politely.",
        tags: ["mail"],
        license: "cc-by",
      },
    },
    answers: {
      200: {
        description: "The same content was published already; or the preview.",
        contract: publishedOrPreviewed,
      },
      201: { description: "A new listing, or a new version of it.", contract: published },
    },
    codes: [
      "missing_credential",
      "account_required",
      "banned",
      "source_not_found",
      "organization_not_found",
      "already_public",
      "removed",
      "item_hidden",
      "duplicate_content",
      "label_taken",
      "mixed_script",
      "scan_confirmation_required",
      "secret_detected",
      "license_incompatible",
      "payout_account_required",
      "organization_only",
      "idempotency_key_reused",
      "rate_limited",
    ],
  },
  {
    path: "/hub-import/{asset}",
    operationId: "importListing",
    tag: "hub",
    summary: "Import a listing",
    description:
      "Copies a listing into the caller's workspace. A caller without an account gets it as a file; nothing is written.",
    callers: ["guest", "accessToken"],
    parameters: {
      asset: { description: "The id or the slug of the listing.", schema: { type: "string", minLength: 1 } },
    },
    idempotent: true,
    body: { contract: importOfListing, required: false, example: { mode: "remix" } },
    answers: importAnswers,
    codes: [
      ...importCodes,
      ...([
        "account_required",
        "version_yanked",
        "modified_copy",
        "not_published",
        "not_exportable",
        "gone",
      ] as const),
    ],
  },
  {
    path: "/hub-import",
    operationId: "importDocument",
    tag: "hub",
    summary: "Import a file",
    description:
      "Copies a file into the caller's workspace: an asset of Keyhub, or the text of a file of any tool that GET lists. What it says about its origin counts only if its content is that of a stored version.",
    described: {
      operationId: "listFormats",
      summary: "The formats of other tools that a document may have",
      contract: contracts.FormatList,
    },
    callers: ["guest", "accessToken"],
    idempotent: true,
    body: {
      contract: documentRequest,
      required: true,
      example: {
        document: {
          format: "keyhub.asset",
          format_version: 1,
          asset_type: "template",
          title: "A greeting",
          description: null,
          tags: [],
          license: "cc0",
          payload: { content: "Hello" },
          items: [],
          attribution: null,
          sha256: "62db6f29e42d5ace5e79fe15e1756b13e900ae18a02b9d360c8f11e153f82bb3",
        },
      },
    },
    answers: importAnswers,
    codes: importCodes,
  },
];
