import anyAscii from "any-ascii";
import type { AssetType } from "./assets.ts";

/** The longest slug, in characters. */
export const SLUG_LENGTH = 80;
/** How many characters of a title are read; the rest could not change the slug. */
const TITLE_READ = 400;

/** Reserved words: words in URLs of the hub, and words that would look like a part of the platform. */
const RESERVED = new Set(
  `admin administrator api app about account accounts all asset assets auth browse category categories component components creator creators
  dashboard delete edit explore export false favicon featured help home hub import index keyhub legal license login logout me moderation moderator
  new newest null official orchestration orchestrations preset presets ai-preset ai-presets privacy profile public publish register report
  reports robots root search security settings signin signup sitemap staff static status support system template templates terms
  trending true undefined update updates user users webhook well-known www`.split(/\s+/),
);
const UUID_LIKE = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/;

/**
 * Returns the slug of a title: its transliteration in `a-z0-9` and single hyphens, at most 80 characters. A slug is never empty,
 * reserved or like a uuid; titles that would give such a slug get the type, a hyphen and 8 random letters or digits. `random` returns
 * numbers in [0, 1).
 */
export function slugify(title: string, assetType: AssetType, random: () => number): string {
  return plainSlug(title) ?? fallback(assetType, random);
}

/**
 * Yields slugs for the caller to try until one is free: the plain slug, the plain slug with `-2` to `-9`, and then
 * random endings without end. A slug with a random ending is almost always free.
 */
export function* slugCandidates(
  title: string,
  assetType: AssetType,
  random: () => number,
): Generator<string> {
  const plain = plainSlug(title);
  if (plain !== null) {
    yield plain;
    for (let n = 2; n <= 9; n++) yield withEnding(plain, String(n));
  }
  for (;;) yield plain === null ? fallback(assetType, random) : withEnding(plain, letters(8, random));
}

/** Returns the slug of a title, or null when the title gives no usable slug. */
function plainSlug(title: string): string | null {
  const text = title.slice(0, TITLE_READ).toWellFormed().normalize("NFKC");
  // Each ideograph is a word; the spaces keep their transliterations apart.
  const latin = anyAscii(text.replace(/\p{Script=Han}/gu, " $& ")).toLowerCase();
  const slug = cut(
    latin
      .replace(/['’`]/g, "")
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, ""),
    SLUG_LENGTH,
  );
  return slug === "" || RESERVED.has(slug) || UUID_LIKE.test(slug) ? null : slug;
}

/** Shortens a slug, at a hyphen if one is near, so that no word is cut in half. */
function cut(slug: string, length: number): string {
  if (slug.length <= length) return slug;
  const head = slug.slice(0, length);
  const hyphen = slug[length] === "-" ? length : head.lastIndexOf("-");
  return (hyphen > length / 2 ? head.slice(0, hyphen) : head).replace(/-+$/, "");
}

function withEnding(slug: string, ending: string): string {
  return `${cut(slug, SLUG_LENGTH - ending.length - 1)}-${ending}`;
}

function fallback(assetType: AssetType, random: () => number): string {
  return `${assetType.replace("_", "-")}-${letters(8, random)}`;
}

function letters(count: number, random: () => number): string {
  const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789";
  let text = "";
  while (text.length < count) text += alphabet[Math.floor(random() * alphabet.length)] ?? "a";
  return text;
}
