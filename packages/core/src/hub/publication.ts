import type { Fault } from "../problem.ts";
import {
  Budget,
  type Hint,
  hintsOf,
  pathOf,
  REDACTED,
  type Redaction,
  redact,
  redactor,
  verify,
} from "../redact/index.ts";
import type { AssetType, Payload } from "./assets.ts";
import { cutTo } from "./characters.ts";
import { LISTING } from "./contract.ts";
import { emptyPrivate, rederive, withoutDerived } from "./formats/index.ts";
import { normaliseTags } from "./tags.ts";

/** The most paths in `residualSecrets`. */
const LISTED = 100;

/** All parts of a publication that become public. */
export interface Publication {
  /** At most 120 characters, also after redaction. */
  title: string;
  description: string;
  /** The tags as they were sent: in lower case, some secrets would no longer match their pattern. */
  tags: string[];
  thumbnail_url: string | null;
  /** The creator's notes about the version. */
  label?: string | null;
  changelog?: string | null;
  /** The text that everybody may read of a paid listing. */
  teaser?: string | null;
  payload: Payload;
  items: PublishedItem[];
}

export interface PublishedItem {
  asset_type: AssetType;
  ref_id: string;
  title: string;
  payload: Payload;
}

/** A redacted publication, its receipts, and the paths of values that still look like a secret. Any such path must lead to a refusal. */
export interface CleanPublication {
  publication: Publication;
  redactions: Redaction[];
  /** Places that may hold a secret although no name marks it. The author checks these places; they never lead to a refusal. */
  hints: Hint[];
  residualSecrets: string[];
  /** An exceeded limit, or a text that is no file of its format: some parts were not checked, so the publication must be refused. */
  exceeded: Fault | null;
}

const NOTHING: Publication = {
  title: "",
  description: "",
  tags: [],
  thumbnail_url: null,
  payload: {},
  items: [],
};

/**
 * Redacts everything that becomes public: first the listing, then each item. Then verifies them in the same order. One budget limits both.
 * A tag or thumbnail URL that contains a secret is removed as a whole. `pause` is awaited between these steps; each step takes at most a
 * quarter of a second on ordinary machines.
 */
export async function redactPublication(
  publication: Publication,
  pause: () => Promise<void> = async () => {},
): Promise<CleanPublication> {
  const budget = new Budget();
  const { items, ...listing } = publication;
  const redactPart = redactor(budget);
  const redactions: Redaction[] = [];
  /** The path of the first `source_text` that is not a file of its format after redaction. */
  let unread: string | null = null;
  const redactContent = <Part extends { payload: Payload }>(
    part: Part,
    at: (string | number)[] = [],
  ): Part => {
    const emptied = emptyPrivate(part.payload);
    const path = pathOf([...at, "payload", "source_text"]);
    if (emptied !== part.payload) redactions.push({ path, rule: "private-place" });
    const text = redactPart({ ...part, payload: withoutDerived(emptied) }, at);
    redactions.push(...text.redactions);
    // Beyond the budget, parts of `text.value` are missing, so it is not used. The whole publication is refused below.
    if (budget.exceeded !== null) return part;
    const clean = text.value as Part;
    const derived = rederive(clean.payload);
    if (derived === clean.payload) return clean;
    if (derived === null) unread ??= path;
    const shown = redactPart({ payload: derived }, at);
    redactions.push(...shown.redactions);
    return { ...clean, ...(shown.value as { payload: Payload }) };
  };
  const clean: Publication = { ...redactContent(listing), items: [] };
  for (const [n, item] of items.entries()) {
    await pause();
    clean.items.push(redactContent(item, ["items", n]));
  }
  const exceeded = budget.exceeded ?? (unread === null ? null : unreadable(unread));
  // Beyond the budget, some parts were not read. The result is empty, so that no unread part is published.
  if (exceeded !== null)
    return { publication: NOTHING, redactions, hints: [], residualSecrets: [], exceeded };
  const tags = normaliseTags(clean.tags.filter((tag) => !tag.includes(REDACTED)));
  clean.tags = tags.ok ? tags.value : [];
  clean.title = cutTo(clean.title, LISTING.title);
  // A label in which a placeholder replaced a secret is useless, so the whole label is removed.
  if (clean.label?.includes(REDACTED)) clean.label = null;
  if (clean.changelog) clean.changelog = cutTo(clean.changelog, LISTING.changelog);
  if (clean.teaser) clean.teaser = cutTo(clean.teaser, LISTING.teaser);
  if (clean.thumbnail_url?.includes(REDACTED)) clean.thumbnail_url = null;
  const hidden = hiddenIn(clean.thumbnail_url ?? "", budget);
  if (hidden.length > 0) clean.thumbnail_url = null;
  redactions.push(...hidden);
  await pause();
  const residualSecrets = verify({ ...clean, items: [] }, budget).paths;
  for (const [n, item] of clean.items.entries()) {
    await pause();
    residualSecrets.push(...verify(item, budget, ["items", n]).paths);
  }
  const hints = hintsOf({ payload: clean.payload, items: clean.items });
  return {
    publication: clean,
    redactions,
    hints,
    residualSecrets: residualSecrets.slice(0, LISTED),
    exceeded: budget.exceeded,
  };
}

/** Returns the fault of a text that is not a file of its format. The tool of this format could not read the text either. */
function unreadable(path: string): Fault {
  return {
    path,
    code: "unreadable",
    message: "is not a file of its format, or is not one without its secrets",
  };
}

/** The most layers of percent-encoding that are read. An address has room for more, but no software decodes so many. */
const LAYERS = 16;

/** Returns the secrets of an address that only become visible when its percent-encoded characters are decoded. */
function hiddenIn(address: string, budget: Budget): Redaction[] {
  let text = address;
  for (let layer = 0; layer < LAYERS; layer += 1) {
    // In a query, "+" means a space. A "+" that appears only after decoding is a plus sign.
    const spaced = layer === 0 ? text.replaceAll("+", " ") : text;
    const decoded = spaced.replace(/(?:%[0-9a-f]{2})+/gi, decodeOrKeep);
    if (decoded === text) break;
    text = decoded;
    const { redactions } = redact({ thumbnail_url: text }, budget);
    if (redactions.length > 0) return redactions;
  }
  return [];
}

/** Decodes percent-encoded bytes. If they are not UTF-8, only ASCII is decoded. */
function decodeOrKeep(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded.replace(/%[0-7][0-9a-f]/gi, decodeURIComponent);
  }
}
