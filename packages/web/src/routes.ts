import type { Context } from "./context.ts";
import { TYPE_OF_SECTION } from "./data/addresses.ts";
import { appPage, isAppPage } from "./handlers/app.tsx";
import { assetReply, embedPage, fileReply } from "./handlers/asset.tsx";
import { openJson } from "./handlers/asset-json.ts";
import { feedReply, sitemapReply } from "./handlers/indexes.ts";
import { creatorPage, creatorsPage, hubPage, sectionPage } from "./handlers/lists.tsx";
import { oembedReply } from "./handlers/oembed.ts";
import { versionsPage } from "./handlers/versions.tsx";
import { open, redirect } from "./http/respond.ts";
import { llmsText } from "./page-formats/llms.ts";

/** Returns the response to a GET; null when nothing is at the address. */
export function route(context: Context): Promise<Response> | Response | null {
  const parts = pathParts(context.url.pathname);
  if (parts === null) return null;
  const [first, second, third, fourth, ...more] = parts;
  // Every organization gets the same page, even one that does not exist. The browser reads the organization with the reader's rights.
  if (first === "orgs") return appPage(context, first);
  const isOfListing = first === "hub" && (fourth === "versions" || fourth === "file");
  if (more.length > 0 || (fourth !== undefined && !isOfListing)) return null;
  if (first === undefined) return redirect("/hub", 302);
  if (first === "workspace") return appPage(context, first);
  const path = parts.join("/");
  if (isAppPage(path)) return appPage(context, path);
  if (first === "llms.txt" && second === undefined) {
    return open(context.request, llmsText(context.origin), "text/plain; charset=utf-8");
  }
  if (first === "api" && second === "oembed" && third === undefined) return oembedReply(context);
  if (first === "api" && second === "hub" && third !== undefined) return openJson(context, third);
  if (first !== "hub") return null;
  if (second === undefined) return hubPage(context);
  if (third === undefined) {
    if (second === "feed.xml") return feedReply(context);
    if (second === "sitemap.xml") return sitemapReply(context);
    if (second === "creators") return creatorsPage(context);
    const type = TYPE_OF_SECTION[second];
    return type ? sectionPage(context, type) : null;
  }
  const typed = TYPE_OF_SECTION[second];
  if (fourth === "versions") return typed ? versionsPage(context, typed, third) : null;
  if (fourth === "file") return typed ? fileReply(context, typed, third) : null;
  if (second === "creators") return creatorPage(context, third);
  if (second === "embed") return embedPage(context, third);
  return typed ? assetReply(context, typed, third) : null;
}

/** Returns the decoded parts of a path; null for a path that no link of the site has, such as one with an empty part. */
function pathParts(pathname: string): string[] | null {
  const parts = pathname.split("/").slice(1);
  if (parts.at(-1) === "") parts.pop();
  try {
    const decoded = parts.map(decodeURIComponent);
    return decoded.every((part) => part !== "" && !part.includes("/") && !part.includes("\0"))
      ? decoded
      : null;
  } catch {
    return null;
  }
}
