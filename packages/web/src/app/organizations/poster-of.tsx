import type { AssetType, Card } from "@keyhub/hub/source";
import { render } from "preact";
import { allowedInXml } from "../../formats/xml.ts";
import { Poster } from "../../parts/poster/poster.tsx";

interface Drawn {
  asset_type: AssetType;
  slug: string;
  payload: Record<string, unknown>;
}

/** The picture of a shared listing, drawn here: the address of the public one would tell the server of it. */
export function posterOf(asset: Drawn): string {
  const place = document.createElement("div");
  render(<Poster asset={asset} />, place);
  const text = new XMLSerializer().serializeToString(place.firstElementChild ?? place);
  return `data:image/svg+xml,${encodeURIComponent(allowedInXml(text).toWellFormed())}`;
}

const drawn = new WeakMap<Card, string>();

/** The same for a card: its own picture, or what it says in the form of its content. */
export function pictureOfCard(card: Card): string {
  if (card.thumbnail_url?.startsWith("https://")) return card.thumbnail_url;
  const known = drawn.get(card);
  if (known) return known;
  const picture = posterOf({ ...card, payload: SKETCHES[card.asset_type](card) });
  drawn.set(card, picture);
  return picture;
}

/** A card has no content; the words that it has stand in for it. */
const SKETCHES: Record<AssetType, (card: Card) => Record<string, unknown>> = {
  orchestration: ({ title }) => ({ nodes: [{ id: "title", data: { label: title } }] }),
  template: ({ title, description }) => ({ content: description ?? title }),
  component: ({ title, description }) => ({ source: `// ${title}\n// ${description ?? ""}` }),
  ai_preset: ({ title }) => ({ model_id: title }),
};
