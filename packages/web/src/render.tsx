import type { VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import { allowedInXml } from "./formats/xml.ts";

/** A whole document. */
export function renderPage(page: VNode): string {
  return `<!doctype html>${renderToString(page)}`;
}

export function renderXml(picture: VNode): string {
  return allowedInXml(renderToString(picture));
}
