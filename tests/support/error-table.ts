import { readFileSync } from "node:fs";
import { CHECKOUTS } from "../../packages/core/src/hub/checkout-request.ts";
import { IMPORTING, PREVIEWS, PUBLISHING } from "../../packages/core/src/hub/index.ts";
import { PICTURE } from "../../packages/core/src/hub/pictures/index.ts";
import { problems } from "../../packages/core/src/problem.ts";
import { markdownTable, replaceBetween } from "./markdown-table.ts";

const CODES: [string, string] = ["<!-- codes: made by npm run generate -->", "<!-- end of codes -->"];
const LIMITS: [string, string] = ["<!-- limits: made by npm run generate -->", "<!-- end of limits -->"];

/** The actions that each hourly limit counts. The names are the values of `limit` in a rate_limited problem. */
export const HOURLY_LIMITS = {
  publications: { perHour: PUBLISHING.perHour, counts: "hub-publish" },
  previews: { perHour: PREVIEWS.perHour, counts: "hub-publish and hub-import with `dry_run`" },
  checkouts: { perHour: CHECKOUTS.perHour, counts: "hub-checkout with a listing, for each new order" },
  imports: { perHour: IMPORTING.perHour, counts: "hub-import with an account" },
  pictures: { perHour: PICTURE.perHour, counts: "uploads and removals of pictures of listings" },
  edits: {
    perHour: editsPerHour(),
    counts: "changes of title, description, tags or thumbnail by the owner",
  },
};

/** Returns the page of errors with its list of codes and its table of limits made again from core. */
export function withErrorTables(page: string): string {
  return replaceBetween(replaceBetween(page, CODES, codesList()), LIMITS, limitsTable());
}

function codesList(): string {
  const rows = Object.entries(problems)
    .map(([code, entry]) => ({ code, ...entry }))
    .sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1));
  return rows.map(({ status, code, title }) => `- ${status} \`${code}\`: ${title}`).join("\n");
}

function limitsTable(): string {
  return markdownTable([
    ["limit", "an hour", "counts"],
    ...Object.entries(HOURLY_LIMITS).map(([limit, { perHour, counts }]) => [
      `\`${limit}\``,
      String(perHour),
      counts,
    ]),
  ]);
}

/** Returns the hourly limit of edits from the schema file, because only SQL has this number. */
function editsPerHour(): number {
  const file = new URL("../../supabase/schemas/hub/20_assets_edits.sql", import.meta.url);
  const [, number] = /limit_calls\(editor, 'edits', (\d+)\)/.exec(readFileSync(file, "utf8")) ?? [];
  return Number(number);
}
