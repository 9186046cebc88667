import type { VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import { allowedInXml } from "./page-formats/xml.ts";

/** Renders a whole HTML document. */
export function renderPage(page: VNode): string {
  return `<!doctype html>${renderToString(page)}`;
}

export function renderXml(picture: VNode): string {
  // XML does not allow `]]>` outside a CDATA section.
  return allowedInXml(renderToString(picture)).replaceAll("]]>", "]]&gt;");
}
