import type * as z from "zod/mini";
import type { AssetType, Payload } from "./assets.ts";
import type { warning } from "./contracts/import.ts";
import type { finding } from "./contracts/scan.ts";
import type { Archive, ArchiveAttribution } from "./export-file.ts";
import { requirementsOf } from "./formats/index.ts";
import { type License, requiresAttribution } from "./license.ts";
import { attributionOf, type Copyable, itemAttributionsOf } from "./stored-asset.ts";

/** A warning for the importer. `code` is stable; other members name the things that the warning is about. */
export type Warning = z.infer<typeof warning>;

interface Content {
  asset_type: AssetType;
  title: string;
  license: License;
  payload: Payload;
  /** The origin of the copy: the listing, and the works from which the listing was made. */
  attribution: ArchiveAttribution | null;
}

/** Returns the warnings for a version of a listing: scan findings, a newer version, licenses, requirements, and hosts in components. */
export function warningsOfListing(asset: Copyable): Warning[] {
  const { asset_type, title, version_license: license, payload } = asset;
  const attributions = itemAttributionsOf(asset);
  const items = asset.items.map((item, n) => ({ ...item, attribution: attributions[n] ?? null }));
  const main = { asset_type, title, license, payload, attribution: attributionOf(asset) };
  const warnings = warningsOf([main, ...items]);
  if (overridden(asset.scan)) {
    const message =
      "The safety scan found something in a component, and its publisher confirmed it all the same.";
    warnings.unshift({ code: "scan_overridden", message, ...findingsOf(asset.scan) });
  }
  if (asset.current_version > asset.version) {
    const message = `Version ${asset.current_version} is newer than the version ${asset.version} that was asked for.`;
    warnings.unshift({ code: "newer_version", message, current_version: asset.current_version });
  }
  return warnings;
}

/**
 * Returns the warnings for a file whose origin is not verified. For a guest, the warning `lineage_claimed` says that only an import into
 * an account checks the origin.
 */
export function warningsOfDocument(document: Archive, options = { isGuest: false }): Warning[] {
  return warningsOfDocuments([document], options);
}

/**
 * Returns the warnings for all assets of one file. For another tool's file (`isForeign`), the importer chooses the
 * license, so the warning `platform_only` is left out.
 */
export function warningsOfDocuments(
  documents: readonly Archive[],
  { isGuest = false, isForeign = false } = {},
): Warning[] {
  const warnings = warningsOf(documents.flatMap((document) => [document, ...document.items])).filter(
    ({ code }) => !(isForeign && code === "platform_only"),
  );
  if (documents.some(({ attribution }) => attribution !== null)) {
    const message = isGuest
      ? "The origin that the file claims is not checked without an account; an import into an account checks it."
      : "The origin that the file claims could not be verified; it is kept as text, without a link.";
    warnings.unshift({ code: "lineage_claimed", message });
  }
  return warnings;
}

function warningsOf(contents: readonly Content[]): Warning[] {
  const warnings: Warning[] = [];
  const credited = contents
    .map((content) => ({ title: content.title, license: content.license, credits: creditsOf(content) }))
    .filter(({ license, credits }) => requiresAttribution(license) || credits.length > 0);
  if (credited.length > 0) {
    const message = "The license asks that the creator be credited wherever this is used.";
    const titles = credited.map(({ title }) => title);
    warnings.push({ code: "credit_required", message, titles, credits: distinct(credited) });
  }
  const kept = contents.filter(({ license }) => license === "platform-free").map(({ title }) => title);
  if (kept.length > 0) {
    const message = "The license allows use within the platform only, and no resale.";
    warnings.push({ code: "platform_only", message, titles: kept });
  }
  const models = modelsOf(contents);
  if (models.length > 0) {
    const message = "This uses these models; you need a key of their provider.";
    warnings.push({ code: "models_needed", message, models });
  }
  const requirements = contents.flatMap(({ payload }) => requirementsOf(payload));
  if (requirements.length > 0) {
    const message = "The tool that made this requires these.";
    warnings.push({ code: "setup_needed", message, requirements: requirements.slice(0, 2 * LISTED) });
  }
  const keys = collect(contents, keysIn);
  if (keys.length > 0) {
    const message = "Secrets were left out; put your own in these places.";
    warnings.push({ code: "keys_needed", message, keys });
  }
  const hosts = collect(contents, hostsIn);
  if (hosts.length > 0) {
    const message = "A component names these hosts and may contact them.";
    warnings.push({ code: "hosts_contacted", message, hosts });
  }
  return warnings;
}

/** A work that must be credited. `creator` is its creator's name; null when the creator's account was deleted or banned. */
interface Credit {
  title: string;
  creator: string | null;
}

/**
 * Returns the works that a content was made from and whose licenses ask for credit. A stricter license of the content does not remove that
 * duty. A work without a license, which only an imported file can name (`claimed`), is credited too: an unnecessary credit does no harm.
 */
function creditsOf({ attribution }: Content): Credit[] {
  const { root, parent, via = [], claimed } = attribution ?? {};
  const works = [root, ...via, parent, claimed, claimed?.root, ...(claimed?.via ?? [])];
  return works.flatMap((work) =>
    work !== undefined && (work.license === undefined || requiresAttribution(work.license))
      ? [{ title: work.title, creator: work.creator }]
      : [],
  );
}

/** Returns every work once, without a limit, so that no author is left out. */
function distinct(credited: readonly { credits: Credit[] }[]): Credit[] {
  const works = credited.flatMap(({ credits }) => credits);
  return [...new Map(works.map((work) => [JSON.stringify([work.title, work.creator]), work])).values()];
}

/** The most models, keys, hosts or findings that one warning lists. A warning lists up to twice as many requirements. */
const LISTED = 50;

type Found = (what: string) => void;

type Named = Pick<Content, "asset_type" | "payload">;

function collect<C>(contents: readonly C[], find: (content: C, found: Found) => void): string[] {
  const found = new Set<string>();
  for (const content of contents) find(content, (what) => found.add(what));
  return [...found].sort().slice(0, LISTED);
}

const MODEL_MEMBERS = new Set(["model", "model_id", "modelId"]);

/** Returns the models that are named by presets, or by stages and nodes of orchestrations: each once, sorted, at most 50. */
export function modelsOf(contents: readonly Named[]): string[] {
  return collect(contents, modelsIn);
}

function modelsIn({ asset_type: assetType, payload }: Named, found: Found): void {
  if (assetType !== "ai_preset" && assetType !== "orchestration") return;
  for (const { kind, name } of requirementsOf(payload)) if (kind === "model") found(name);
  // If the row was read from another tool's file, the reader of that file has found the models already.
  if (payload.source_text !== undefined) return;
  eachTextBelow(payload, (value, key) => {
    if (MODEL_MEMBERS.has(key) && value !== "" && value.length <= 200) found(value);
  });
}

/** Placeholders that redaction or authors wrote. Names are read up to 200 characters. */
const PLACEHOLDER = /\[redacted\]|\{\{\s{0,20}(\w{1,200})\s{0,20}\}\}|\$\{(\w{1,200})\}|<(\w{1,200})>/gi;
/** Words that mark a placeholder as one for a secret. */
const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD/i;

function keysIn({ payload, title }: Content, found: Found): void {
  const left = `[redacted] in ${title}`;
  eachTextBelow(payload, (value) => {
    for (const [, braces, dollar, angle] of value.matchAll(PLACEHOLDER)) {
      const name = braces ?? dollar ?? angle;
      if (name === undefined) found(left);
      else if (SECRET_NAME.test(name)) found(name);
    }
  });
}

/** Hosts in a component's source: in addresses with a scheme, and in strings that start with two slashes. */
const ADDRESS = /(?:\b(?:https?|wss?):|["'`])\/\/([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)(?![\w@])/gi;

function hostsIn({ asset_type: assetType, payload }: Content, found: Found): void {
  if (assetType !== "component" || typeof payload.source !== "string") return;
  for (const [, host = ""] of payload.source.matchAll(ADDRESS)) {
    if (host.includes(".") && !/(?:^|\.)w3\.org$/i.test(host)) found(host.toLowerCase());
  }
}

/** Visits every text at any depth, with the name of its member, or "" for an element of a list. */
function eachTextBelow(value: unknown, visit: (text: string, key: string) => void): void {
  const waiting: unknown[] = [value];
  const look = (child: unknown, key: string) => {
    if (typeof child === "string") visit(child, key);
    else if (typeof child === "object" && child !== null) waiting.push(child);
  };
  while (waiting.length > 0) {
    const next = waiting.pop() as Record<string, unknown> | unknown[];
    if (Array.isArray(next)) for (const child of next) look(child, "");
    else for (const key of Object.keys(next)) look(next[key], key);
  }
}

function overridden(scan: unknown): boolean {
  const { overridden: said, findings } = Object(scan) as { overridden?: unknown; findings?: unknown };
  return said === true || (said === undefined && Array.isArray(findings) && findings.length > 0);
}

function findingsOf(scan: unknown): { findings?: z.infer<typeof finding>[] } {
  const { findings } = Object(scan) as { findings?: unknown };
  return Array.isArray(findings) ? { findings: findings.slice(0, LISTED) } : {};
}
