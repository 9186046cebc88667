import type { AssetType, Card } from "@keyhub/hub/source";
import { render } from "preact";
import { allowedInXml } from "../../page-formats/xml.ts";
import { Poster } from "../../parts/poster/poster.tsx";

interface Drawn {
  asset_type: AssetType;
  slug: string;
  payload: Record<string, unknown>;
}

/** Draws the picture of a shared listing in the browser, as a data URL. A request for the picture would reveal the listing to a server. */
export function posterOf(asset: Drawn): string {
  const place = document.createElement("div");
  render(<Poster asset={asset} />, place);
  const text = new XMLSerializer().serializeToString(place.firstElementChild ?? place);
  return `data:image/svg+xml,${encodeURIComponent(allowedInXml(text).toWellFormed())}`;
}

const drawn = new WeakMap<Card, string>();

/** Returns the picture of a card: its thumbnail, or a poster that is drawn from the card's texts. */
export function pictureOfCard(card: Card): string {
  if (card.thumbnail_url?.startsWith("https://")) return card.thumbnail_url;
  const known = drawn.get(card);
  if (known) return known;
  const picture = posterOf({ ...card, payload: SKETCHES[card.asset_type](card) });
  drawn.set(card, picture);
  return picture;
}

/** Functions that make a payload for the poster from a card's texts, because a card has no content. */
const SKETCHES: Record<AssetType, (card: Card) => Record<string, unknown>> = {
  orchestration: ({ title }) => ({ nodes: [{ id: "title", data: { label: title } }] }),
  template: ({ title, description }) => ({ content: description ?? title }),
  component: ({ title, description }) => ({ source: `// ${title}\n// ${description ?? ""}` }),
  ai_preset: ({ title }) => ({ model_id: title }),
};
