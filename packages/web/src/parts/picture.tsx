import { assetPath } from "../data/addresses.ts";
import type { Card } from "../data/hub.ts";
import { POSTER_HEIGHT, POSTER_WIDTH } from "./poster/poster.tsx";

/** The picture on top of a card: its thumbnail, or its content drawn. It repeats what the text says, so it has no text. */
export function Picture({ card }: { card: Card }) {
  return (
    <div class="picture">
      <img
        src={pictureOf(card)}
        alt=""
        loading="lazy"
        decoding="async"
        width={POSTER_WIDTH}
        height={POSTER_HEIGHT}
        referrerpolicy="no-referrer"
      />
    </div>
  );
}

export function pictureOf(card: Pick<Card, "thumbnail_url" | "asset_type" | "slug">): string {
  return card.thumbnail_url?.startsWith("https://") ? card.thumbnail_url : `${assetPath(card)}.svg`;
}
