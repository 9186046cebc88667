import type { VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import { allowedInXml } from "./formats/xml.ts";

/** A whole document. */
export function renderPage(page: VNode): string {
  return `<!doctype html>${renderToString(page)}`;
}

export function renderXml(picture: VNode): string {
  // Outside a CDATA section XML refuses these three.
  return allowedInXml(renderToString(picture)).replaceAll("]]>", "]]&gt;");
}
