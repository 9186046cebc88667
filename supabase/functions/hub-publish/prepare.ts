import { formatOf } from "@keyhub/core/formats";
import {
  type AssetType,
  bundleFaults,
  contentHash,
  countValues,
  cutTo,
  type Fault,
  hostileFaults,
  type ItemRef,
  JSON_VALUES,
  LISTING,
  type License,
  licensedSources,
  licenseProblem,
  manyFault,
  type ParsedPublishRequest,
  type Payload,
  type Publication,
  payloadSizeFault,
  redactPublication,
  relink,
  snapshot,
  strictest,
} from "@keyhub/core/hub";
import { problem } from "@keyhub/core/problem";
import type { Hint } from "@keyhub/core/redact";
import { type Finding, scanComponent } from "@keyhub/core/scan";
import type { Refusal } from "../_shared/http.ts";
import type { FindUnchanged, Source, Sources } from "./sources.ts";

/** The arguments of the RPC without the slug, and the findings of the scan. */
export interface Prepared {
  publication: Record<string, unknown> & { title: string; content_sha256: string | null };
  findings: Found[];
  /** Places that may contain a secret; the author should check them. */
  hints: Hint[];
}

/**
 * Prepares a publication without locks, in five steps: checks the licenses, extracts the content from the rows, redacts it, collects the
 * findings that the publisher must confirm, and sets the license of each item.
 */
export async function prepare(
  wanted: ParsedPublishRequest,
  sources: Sources,
  userId: string,
  findUnchanged: FindUnchanged,
): Promise<Prepared | Refusal> {
  const refused = judgeLicenses(wanted, sources, userId);
  if (refused !== null) return refused;
  const content = takeContent(wanted, sources);
  if ("problem" in content) return content;
  const redacted = await redactContent(wanted, sources.items, content);
  if ("problem" in redacted) return redacted;
  const findings = await scanComponents(wanted.assetType, redacted.publication);
  const items = await licenseItems(wanted, sources.items, redacted.publication.items, userId, findUnchanged);
  if ("problem" in items) return items;
  return describe(wanted, redacted, items.published, findings);
}

function judgeLicenses(
  { license }: ParsedPublishRequest,
  { main, items }: Sources,
  userId: string,
): Refusal | null {
  const judged = [main, ...items].map(({ attribution }, n) => ({
    path: n === 0 ? "license" : `items.${n - 1}.license`,
    code: licenseProblem(license, licensedSources(attribution, userId)),
  }));
  const refused = judged.filter(({ code }) => code !== null);
  const [first] = refused;
  if (first === undefined || first.code === null) return null;
  const message = "comes from somebody else's asset, whose license does not allow this one";
  return {
    problem: problem(first.code, { errors: refused.map(({ path, code }) => ({ path, code, message })) }),
  };
}

/** The content to publish, before redaction. */
interface Content {
  payload: Payload;
  /** The payloads of the items, in the same order. */
  payloads: Payload[];
}

/** Extracts the content to publish from the rows. Refuses content that is hostile, too large, or in an unknown format. */
function takeContent(wanted: ParsedPublishRequest, { main, items }: Sources): Content | Refusal {
  const content = {
    payload: publishedPart(main, items),
    payloads: items.map((item) => publishedPart(item, items)),
  };
  const faults = judgeContent(wanted, items, content);
  return faults.length > 0 ? invalid(faults) : content;
}

function invalid(errors: Fault[]): Refusal {
  return { problem: problem("validation_failed", { errors }) };
}

/** Returns the part of a row that is published, before redaction. Links to items that are not embedded become null. */
function publishedPart({ asset_type, content }: Source, embedded: readonly ItemRef[]): Payload {
  const payload = snapshot(asset_type, content);
  return asset_type === "orchestration" ? relink(payload, embedded) : payload;
}

function judgeContent(
  wanted: ParsedPublishRequest,
  items: readonly Source[],
  { payload, payloads }: Content,
): Fault[] {
  const faults = [
    ...hostileFaults(payload, "payload"),
    ...payloads.flatMap((item, n) => hostileFaults(item, `items.${n}.payload`)),
  ];
  // Stop here: the payload may be nested too deeply to measure its size.
  if (faults.length > 0) return faults;
  const unknown = [
    ...sourceFaults(wanted.assetType, payload, "payload"),
    ...items.flatMap(({ asset_type }, n) =>
      sourceFaults(asset_type, payloads[n] ?? {}, `items.${n}.payload`),
    ),
  ];
  if (unknown.length > 0) return unknown;
  if (countValues([payload, payloads]) > JSON_VALUES) return [manyFault("")];
  const parts = items.map(({ asset_type }, n) => ({ asset_type, payload: payloads[n] ?? {} }));
  return tooLarge(wanted, payload, parts);
}

/** Returns a fault when the source text of a payload has an unknown format, or a format of another asset type. */
function sourceFaults(type: AssetType, { source_format: format }: Payload, path: string): Fault[] {
  if (format === undefined || formatOf(format)?.assetType === type) return [];
  const message = `must be a format of ${type}`;
  return [{ path: `${path}.source_format`, code: "invalid_value", message }];
}

function tooLarge(
  { assetType }: ParsedPublishRequest,
  payload: Payload,
  items: readonly { asset_type: AssetType; payload: Payload }[],
): Fault[] {
  const sizes = items.map((item, n) => payloadSizeFault(item.asset_type, item.payload, `items.${n}.payload`));
  return [payloadSizeFault(assetType, payload), ...sizes, ...bundleFaults(items)].filter(
    (fault) => fault !== null,
  );
}

type Redacted = Awaited<ReturnType<typeof redactPublication>>;

/** Removes secrets from the listing and its content. If a secret may remain, nothing is published. */
async function redactContent(
  wanted: ParsedPublishRequest,
  items: readonly Source[],
  { payload, payloads }: Content,
): Promise<Redacted | Refusal> {
  await yieldToEventLoop();
  const redacted = await redactPublication(
    {
      title: wanted.title,
      description: wanted.description,
      tags: wanted.rawTags,
      thumbnail_url: wanted.thumbnailUrl,
      label: wanted.label,
      changelog: wanted.changelog,
      teaser: wanted.offer?.teaser ?? null,
      payload,
      items: items.map(({ asset_type, ref_id, content }, n) => ({
        asset_type,
        ref_id,
        title: String(content.name),
        payload: payloads[n] ?? {},
      })),
    },
    yieldToEventLoop,
  );
  const { publication, residualSecrets, exceeded } = redacted;
  if (exceeded !== null) return invalid([exceeded]);
  // The size is checked again, because a placeholder is often longer than the secret that it replaces.
  const grown = tooLarge(wanted, publication.payload, publication.items);
  if (grown.length > 0) return invalid(grown);
  if (residualSecrets.length === 0) return redacted;
  const errors = residualSecrets.map((path) => ({
    path,
    code: "secret_detected",
    message: "looks like a secret",
  }));
  return { problem: problem("secret_detected", { errors }) };
}

/** Returns the items of a kit with their hashes and licenses. */
async function licenseItems(
  wanted: ParsedPublishRequest,
  sources: readonly Source[],
  items: Redacted["publication"]["items"],
  userId: string,
  findUnchanged: FindUnchanged,
) {
  const attributions = items.map((_, n) => sources[n]?.attribution ?? null);
  const contents = items.map(({ payload }, n) => ({ payload, attribution: attributions[n] ?? null }));
  const found = await findUnchanged(contents);
  if ("problem" in found) return found;
  const published = items.map(async (item, n) => {
    const attribution = attributions[n] ?? null;
    return {
      ...item,
      title: cutTo(item.title, LISTING.title),
      sha256: await contentHash(item.payload),
      attribution,
      license: licenseOfItem(attribution, wanted, userId, found.unchanged[n] === true),
    };
  });
  return { published: await Promise.all(published) };
}

/**
 * Returns the license of an item of a kit. An unchanged copy gets the strictest license of all assets that it was made from. A copy that
 * the maker of the kit changed gets the strictest of those licenses and the kit's license. An original gets the kit's license.
 */
function licenseOfItem(
  attribution: Source["attribution"],
  { license }: ParsedPublishRequest,
  userId: string,
  isUnchanged: boolean,
): License {
  const came = licensedSources(attribution, userId).map((source) => source.license);
  return strictest(isUnchanged ? came : [...came, license]);
}

/** Returns the publication in the form that the RPC takes. */
async function describe(
  wanted: ParsedPublishRequest,
  { publication, redactions, hints }: Redacted,
  items: ({ sha256: string } & ItemRef)[],
  findings: Found[],
): Promise<Prepared> {
  const sha256 = await contentHash(publication.payload);
  // A scan token confirms this hash, and so exactly this content.
  const confirmed =
    findings.length > 0 ? await contentHash([sha256, ...items.map((item) => item.sha256)]) : null;
  return {
    publication: {
      ...wanted.offer,
      ...publication,
      asset_type: wanted.assetType,
      ref_id: wanted.refId,
      license: wanted.license,
      organization: wanted.organization,
      sha256,
      items,
      redactions,
      scan: scanned(wanted, items) ? { overridden: findings.length > 0, findings } : null,
      content_sha256: confirmed,
    },
    findings,
    hints,
  };
}

function scanned({ assetType }: ParsedPublishRequest, items: readonly ItemRef[]): boolean {
  return assetType === "component" || items.some(({ asset_type }) => asset_type === "component");
}

/** A finding, and the path of the source text that contains it. */
export interface Found extends Finding {
  path: string;
}

/** Scans every component of a publication. It runs after redaction, so that no excerpt can show a secret. */
export async function scanComponents(
  assetType: AssetType,
  { payload, items }: Publication,
): Promise<Found[]> {
  const components = [
    ...(assetType === "component" ? [{ path: "payload.source", source: payload.source }] : []),
    ...items.flatMap((item, n) =>
      item.asset_type === "component"
        ? [{ path: `items.${n}.payload.source`, source: item.payload.source }]
        : [],
    ),
  ];
  const found: Found[] = [];
  for (const { path, source } of components) {
    await yieldToEventLoop();
    for (const finding of scanComponent(String(source))) found.push({ ...finding, path });
  }
  return found;
}

/**
 * Lets waiting requests run before it resolves. An isolate has one thread: without this pause between two long steps of one request, all
 * other requests would wait for both steps.
 */
function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
