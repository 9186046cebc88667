import type { Parsed } from "../../faults.ts";
import { tooManyValues } from "../../json/count-json-values.ts";
import type { Fault } from "../../problem.ts";
import { type Payload, SOURCE_BYTES } from "../assets.ts";
import { contentHash } from "../canonical.ts";
import { cutTo, removeInvisible } from "../characters.ts";
import { LISTING } from "../contract.ts";
import { type Archive, readArchive, writeArchive } from "../export-file.ts";
import { hostileFaults, textFault } from "../json-limits.ts";
import { normaliseTags, TAGS } from "../tags.ts";
import type { ForeignFile, ForeignItem, Format } from "./format.ts";
import { fileFaults, parseAs, parsesOf } from "./parse.ts";
import { FORMATS, formatOf } from "./registry.ts";
import { firstText, list, text } from "./values.ts";

/** The most assets in one file: as many as the rows that a workspace may have. */
export const FILE_ITEMS = 2_000;

/** The content of a file of Keyhub or of any known tool. */
export interface ReadFile {
  /** `keyhub`, or the id of a format. */
  format: string;
  documents: Archive[];
}

/**
 * Reads the text of a file of any known tool. If no format matches, the fault names all
 * formats. Paths of faults begin with `at`; no fault repeats content of the file.
 */
export async function readForeign(
  source: string,
  filename: string | null = null,
  at = "document",
  formats: readonly Format[] = FORMATS,
): Promise<Parsed<ReadFile>> {
  const fault = (code: string, message: string): Parsed<never> => ({
    ok: false,
    faults: [{ path: at, code, message }],
  });
  const odd = textFault(source);
  if (odd !== null) return fault("invalid_text", odd);
  const excess = /^[\uFEFF\s]*[{[]/.test(source) ? tooManyValues(source) : null;
  if (excess !== null) return { ok: false, faults: [{ ...excess, path: at }] };
  const name = baseName(filename);
  for (const file of parsesOf(source, name)) {
    const faults = fileFaults(file, at);
    if (file.syntax === "json" && isOwn(file.value)) {
      const own = readArchive(file.value, at);
      return own.ok ? { ok: true, value: { format: "keyhub", documents: [own.value] } } : own;
    }
    if (faults.length > 0) return { ok: false, faults };
    const format = formats.find((one) => one.syntax === file.syntax && one.detect(file));
    if (format !== undefined) return documentsOf(format, file, at);
  }
  if (source.length > SOURCE_BYTES)
    return fault("too_big", `must be at most ${SOURCE_BYTES / 1024 / 1024} MB`);
  const names = ["Keyhub asset", ...formats.map((format) => format.name)];
  return fault("unknown_format", `is not a file of any of these formats: ${names.join(", ")}`);
}

/**
 * Returns the members of a payload that are not derived from its `source_text`, or the payload itself if it has no
 * such text. A publication leaves out the derived members before redaction, reads them again from the redacted text, and redacts them too.
 */
export function withoutDerived(payload: Payload): Payload {
  if (typeof payload.source_text !== "string") return payload;
  const own = ["name", "description", "source_format", "source_text"];
  return Object.fromEntries(Object.entries(payload).filter(([member]) => own.includes(member)));
}

/**
 * Reads the derived members of a payload again from its `source_text`, so that the hub shows what the file
 * contains. Returns a payload without such a text unchanged, and null when the text is not a file of its format.
 */
export function rederive(payload: Payload): Payload | null {
  if (typeof payload.source_text !== "string") return payload;
  const format = formatOf(payload.source_format);
  const file = format && parseAs(format.syntax, payload.source_text, format.filename ?? null);
  if (!file || fileFaults(file, "").length > 0 || !format.detect(file)) return null;
  const [item, second] = format.read(file);
  if (item === undefined || second !== undefined) return null;
  const derived = { ...payload, ...item.payload };
  return hostileFaults(derived).length === 0 ? derived : null;
}

async function documentsOf(format: Format, file: ForeignFile, at: string): Promise<Parsed<ReadFile>> {
  const items = format.read(file);
  if (items.length > FILE_ITEMS) {
    return {
      ok: false,
      faults: [{ path: at, code: "too_big", message: `must have at most ${FILE_ITEMS} assets` }],
    };
  }
  const documents: Archive[] = [];
  const faults: Fault[] = [];
  for (const item of items) {
    const written = await archiveFrom(format, file, item);
    if (written.ok) documents.push(written.value);
    else faults.push(...written.faults.map((one) => ({ ...one, path: `${at}.${one.path}` })));
  }
  if (faults.length > 0) return { ok: false, faults: faults.slice(0, 20) };
  if (documents.length > 0) return { ok: true, value: { format: format.id, documents } };
  return {
    ok: false,
    faults: [{ path: at, code: "too_small", message: `is a ${format.name} without content` }],
  };
}

async function archiveFrom(format: Format, file: ForeignFile, item: ForeignItem): Promise<Parsed<Archive>> {
  const title = titleOf(item.title, file, format);
  const description = cutTo(removeInvisible(text(item.description)).trim(), LISTING.description) || null;
  const kept = item.text === undefined ? file.text : item.text;
  const named =
    format.assetType === "template" || format.assetType === "component" ? { name: title, description } : {};
  const payload: Payload = {
    ...named,
    ...item.payload,
    ...(kept !== null && { source_format: format.id, source_text: kept }),
  };
  const author = oneLine(text(item.author), 100);
  return writeArchive({
    asset_type: format.assetType,
    title,
    description,
    tags: tagsOf(item.tags),
    license: "platform-free",
    payload,
    items: [],
    attribution: author === "" ? null : { claimed: { title, creator: author } },
    sha256: await contentHash(payload).catch(() => "0".repeat(64)),
  });
}

function titleOf(said: unknown, { filename }: ForeignFile, format: Format): string {
  const stem = text(filename).replace(/\.[a-z0-9]{1,8}$/i, "");
  // A format that finds no title in a file returns the name of the file. Its ending is removed here.
  const own = said === filename ? stem : text(said);
  return oneLine(firstText(own, stem, format.name), LISTING.title) || format.name;
}

function oneLine(source: string, limit: number): string {
  const line = removeInvisible(source).replace(/\s+/g, " ").trim();
  return cutTo(line, limit).trim();
}

/** Returns the tags that the hub allows; others are left out. */
function tagsOf(said: unknown): string[] {
  const known = list(said).flatMap((tag) => {
    const one = normaliseTags([text(tag).trim().replace(/\s+/g, "-")]);
    return one.ok ? one.value : [];
  });
  return [...new Set(known)].slice(0, TAGS.count);
}

function baseName(filename: string | null): string | null {
  const name = (filename ?? "").split(/[\\/]/).at(-1)?.slice(0, 255) ?? "";
  return name === "" ? null : name;
}

const isOwn = (value: unknown) => Object(value).format === "keyhub.asset";
