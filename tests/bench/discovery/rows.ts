import { assetId, creatorId, numbers, refId, zipf } from "./numbers.ts";
import { COMMON_WORD, tagNames, vocabulary } from "./vocabulary.ts";

const DAY = 86_400_000;
const YEARS = 730 * DAY;
const TYPES = ["template", "template", "template", "component", "component", "orchestration", "ai_preset"];
const LICENSES = ["platform-free", "platform-free", "cc0", "cc-by"];

/** The plan for a hub with a number of assets. It is made from seeded numbers, so two runs make the same plan. */
export interface Plan {
  assets: number;
  creators: number;
  /** The assets from 1 to this number are remixes of asset 0, directly or by another remix. */
  remixes: number;
  words: string[];
  tags: string[];
  /** 1 if any visible asset has the word, else 0. The index is the word's rank. */
  isUsed: Uint8Array;
  now: number;
}

export function planHub(assets: number): Plan {
  const words = vocabulary(Math.max(20_000, Math.round(assets / 5)));
  return {
    assets,
    creators: Math.max(20, Math.round(assets / 20)),
    remixes: Math.round(assets / 10),
    words,
    tags: tagNames(3000),
    isUsed: new Uint8Array(words.length),
    now: Date.now(),
  };
}

export const ASSET_COLUMNS =
  "id, asset_type, ref_id, creator_id, slug, title, description, tags, license, is_public, current_version, published_at, " +
  "content_updated_at, is_hidden, hidden_at, hidden_reason, star_count, install_count, source_asset_id, parent_asset_id, remix_depth";

/**
 * Returns the i-th asset as a line of COPY. Words, tags and creators follow Zipf's law, stars and installs have long tails, one asset in 20
 * is private, and one in 100 is hidden.
 */
export function assetLine(plan: Plan, i: number): string {
  const next = numbers(i);
  const isPublic = i === 0 || next() >= 0.05;
  const isHidden = i > 0 && next() < 0.01;
  const word = () => {
    const rank = zipf(next, plan.words.length);
    if (isPublic && !isHidden) plan.isUsed[rank] = 1;
    return plan.words[rank] as string;
  };
  const some = (count: number) => Array.from({ length: count }, word);
  const title = some(next() < 0.5 ? 3 : 2).join(" ");
  const description = some(8 + Math.floor(12 * next()));
  if (next() < 0.6) description.push(COMMON_WORD);
  const tags = new Set(
    Array.from({ length: 1 + Math.floor(4 * next()) }, () => plan.tags[zipf(next, plan.tags.length)]),
  );
  const published = plan.now - YEARS * next();
  const updated = published + (plan.now - published) * next();
  const tail = () => Math.min(1_000_000, Math.floor((1 - next()) ** -0.9) - 1);
  const isRemix = i >= 1 && i <= plan.remixes;
  const isDirect = i % 2 === 1;
  return [
    assetId(i),
    TYPES[Math.floor(TYPES.length * next())],
    refId(i),
    creatorId(zipf(next, plan.creators)),
    `asset-${i}`,
    title[0]?.toUpperCase() + title.slice(1),
    description.join(" "),
    `{${[...tags].join()}}`,
    LICENSES[Math.floor(LICENSES.length * next())],
    isPublic,
    1,
    new Date(published).toISOString(),
    new Date(updated).toISOString(),
    isHidden,
    isHidden ? new Date(plan.now).toISOString() : "\\N",
    isHidden ? "moderator" : "\\N",
    tail(),
    tail(),
    isRemix ? assetId(0) : "\\N",
    isRemix ? assetId(isDirect ? 0 : i - 1) : "\\N",
    isRemix ? (isDirect ? 1 : 2) : 0,
  ].join("\t");
}

/** Returns the i-th star or import: user, asset and time; about one in twenty is in the last seven days. */
export function actLine(plan: Plan, kind: 3 | 4, i: number): string {
  const next = numbers(i * 8 + kind);
  const at = new Date(plan.now - YEARS * next() ** 1.5).toISOString();
  return [assetId(zipf(next, plan.assets)), creatorId(Math.floor(next() * plan.creators)), at].join("\t");
}

export function creatorLine(i: number): string {
  return [creatorId(i), `creator-${i}`].join("\t");
}
