import type { Fault } from "../problem.ts";
import type { AssetType, Payload } from "./assets.ts";
import { REDACTED, type Redaction, redact, verify, Work } from "./redact/index.ts";
import { normaliseTags } from "./tags.ts";
import { cutTo } from "./text-length.ts";

const LISTING_TITLE = 120;

/** All that the public will get of a publication. */
export interface Publication {
  /** At most 120 characters, also once something was taken out. */
  title: string;
  description: string;
  /** Before redaction as they came: in lower case some secrets are none any more to a reader of patterns. */
  tags: string[];
  thumbnail_url: string | null;
  payload: Payload;
  items: PublishedItem[];
}

export interface PublishedItem {
  asset_type: AssetType;
  ref_id: string;
  title: string;
  payload: Payload;
}

/** A publication without its secrets, what was taken out, and where something still looks like one (then: refuse). */
export interface CleanPublication {
  publication: Publication;
  redactions: Redaction[];
  residualSecrets: string[];
  /** The limit that it goes beyond, so that not all of it was read (then: refuse). */
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

/** Redacts everything that leaves in one go, the listing's texts as well as the payloads. A tag or an address of a thumbnail with a secret goes whole. */
export function redactPublication(publication: Publication): CleanPublication {
  const work = new Work();
  const { value, redactions, exceeded } = redact(publication, work);
  // Beyond the limit there is no whole value, and nothing leaves of what was not read.
  if (exceeded !== undefined) return { publication: NOTHING, redactions, residualSecrets: [], exceeded };
  const clean = value as Publication;
  const tags = normaliseTags(clean.tags.filter((tag) => !tag.includes(REDACTED)));
  clean.tags = tags.ok ? tags.value : [];
  clean.title = cutTo(clean.title, LISTING_TITLE);
  if (clean.thumbnail_url?.includes(REDACTED)) clean.thumbnail_url = null;
  const again = verify(clean, work);
  return { publication: clean, redactions, residualSecrets: again.paths, exceeded: again.exceeded };
}
