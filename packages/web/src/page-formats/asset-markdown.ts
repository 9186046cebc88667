import { assetPath, TYPE_NAMES } from "../data/addresses.ts";
import type { AssetType, Listing } from "../data/hub.ts";
import { date, LICENSE_WORDS, money } from "../parts/format.ts";

/**
 * Returns a listing as Markdown, for people and models. The hub's own text comes before the creator's, and the creator's text is quoted or
 * fenced, so that it cannot hide a line of the hub or look like one.
 */
export function assetMarkdown(asset: Listing, origin: string): string {
  const facts = [
    `- Type: ${TYPE_NAMES[asset.asset_type].one}`,
    `- Creator: ${asset.creator ? `@${asset.creator.username}` : "deleted account"}`,
    `- License: ${LICENSE_WORDS[asset.version_license].name} (${LICENSE_WORDS[asset.version_license].says})`,
    `- Version: ${asset.version}${asset.content_updated_at ? `, ${date(asset.content_updated_at)}` : ""}`,
    `- Tags: ${asset.tags.map((tag) => `#${plain(tag)}`).join(" ") || "none"}`,
    `- Page: ${origin}${assetPath(asset)}`,
    ...(asset.attribution ? [`- Credit: ${plain(asset.attribution.text)}`] : []),
  ];
  const parts = [
    `# ${plain(asset.title)}`,
    facts.join("\n"),
    warning(asset),
    asset.description ? `Its creator says:\n\n${quoted(asset.description)}` : "",
    asset.readable
      ? content(asset.asset_type, asset.payload)
      : `The content is for buyers, for ${money(asset)}. What its creator shows of it:\n\n${quoted(asset.teaser ?? "")}`,
    ...asset.items.map(
      (item) =>
        `## ${plain(item.title)} (${TYPE_NAMES[item.asset_type].one})\n\n${content(item.asset_type, item.payload)}`,
    ),
  ];
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}

function warning(asset: Listing): string {
  const findings = asset.scan?.findings ?? [];
  if (findings.length === 0) return "";
  return [
    "**The scan found places to look at before you run this:**",
    "",
    ...findings.map((one) => `- ${one.rule}, line ${one.line}`),
  ].join("\n");
}

function content(type: AssetType, payload: Record<string, unknown>): string {
  switch (type) {
    case "template":
      return fenced(String(payload.content ?? ""), "");
    case "component":
      return fenced(String(payload.source ?? ""), "tsx");
    case "orchestration":
    case "ai_preset":
      return fenced(JSON.stringify({ ...payload, source_text: undefined }, null, 2), "json");
    default:
      throw new Error(`unknown asset type: ${String(type satisfies never)}`);
  }
}

/** Returns the text in a fence that is longer than any fence inside it. */
function fenced(text: string, language: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Returns the text as a quote, with Markdown's special characters escaped. */
function quoted(text: string): string {
  return text
    .split(/[\n\r\v\f\u0085\u2028\u2029]/)
    .map((line) => `> ${plain(line).trim()}`.trimEnd())
    .join("\n");
}

/** Returns the text on one line, with Markdown's special characters escaped. */
function plain(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\\`*_[\]<>#|~]/g, "\\$&");
}
