import type { License } from "../data/hub.ts";

const NUMBER = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const DATE = new Intl.DateTimeFormat("en", {
  year: "numeric",
  month: "short",
  day: "numeric",
  timeZone: "UTC",
});
const TIME = new Intl.DateTimeFormat("en", {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "UTC",
});
const MONTH = new Intl.DateTimeFormat("en", { year: "numeric", month: "long", timeZone: "UTC" });

export function number(value: number): string {
  return NUMBER.format(value);
}

/** Returns a count with its noun, such as `1 star` or `1.2K stars`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

export function date(iso: string): string {
  return DATE.format(new Date(iso));
}

/** Returns a time such as `Nov 24, 2026, 2:05 PM UTC`. */
export function time(iso: string): string {
  return `${TIME.format(new Date(iso))} UTC`;
}

export function month(iso: string): string {
  return MONTH.format(new Date(iso));
}

/** Returns a price such as `$5.00`; `price_cents` is in the minor unit of its currency. */
export function money({ price_cents, currency }: { price_cents: number; currency: string | null }): string {
  const format = new Intl.NumberFormat("en", { style: "currency", currency: currency ?? "USD" });
  return format.format(price_cents / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

/** Tags that pages spell in another way than stored: tags are stored in lower case, but the cardinality `1toN` has a capital letter. */
const TAG_NAMES: Record<string, string> = { "1ton": "1toN" };

export function tagName(tag: string): string {
  return TAG_NAMES[tag] ?? tag;
}

/** The names of categories that cannot be derived from the tag. */
const CATEGORY_NAMES: Record<string, string> = { qa: "Quality checks", ecommerce: "E-commerce" };

/** Returns the name of a category: `content-creation` becomes "Content creation". */
export function categoryName(tag: string): string {
  return CATEGORY_NAMES[tag] ?? `${tag.charAt(0).toUpperCase()}${tag.slice(1).replaceAll("-", " ")}`;
}

/** The name of each license, and what it allows an importer. */
export const LICENSE_WORDS = {
  cc0: { name: "CC0", says: "Any use, also commercial. No credit is required." },
  "cc-by": { name: "CC BY", says: "Any use, also commercial. Credit the creator." },
  "platform-free": {
    name: "Platform free",
    says: "Free to use on this platform. Not for resale. The origin stays shown.",
  },
  paid: { name: "Paid", says: "For buyers only." },
} as const satisfies Record<License, { name: string; says: string }>;

export const SORT_NAMES = {
  relevance: "Best match",
  newest: "Newest",
  most_installed: "Most installed",
  most_starred: "Most starred",
  recently_updated: "Recently updated",
} as const;

export const CARDINALITY_NAMES: Record<string, string> = {
  "1to1": "One to one",
  "1toN": "One to many",
  batch: "Batch",
};
