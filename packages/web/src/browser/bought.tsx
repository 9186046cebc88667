import { render } from "preact";
import type { Listing } from "../data/hub.ts";
import { Content } from "../parts/content.tsx";
import { startCopying } from "./copy.ts";
import { startDrawings } from "./drawing.ts";
import { startPreview } from "./preview.ts";
import { startTemplate } from "./template.ts";

/** Replaces the teaser by the content for a buyer or the creator, because the server sends the same page to everybody. */
export function showContent(place: HTMLElement, asset: Listing): void {
  const content = document.createElement("div");
  render(<Content asset={asset} findings={asset.scan?.findings ?? []} />, content);
  place.replaceWith(content);
  for (const start of [startTemplate, startCopying, startPreview, startDrawings]) start(content);
}
