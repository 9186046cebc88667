import { assetPath } from "../data/addresses.ts";
import type { Card } from "../data/hub.ts";
import { POSTER_HEIGHT, POSTER_WIDTH } from "./poster/poster.tsx";

/**
 * The picture on top of a card: its thumbnail, or its content drawn. It repeats what the text says, so it has no text. A drawing is
 * small and always loaded, so that a capture of the whole page has it; a thumbnail is as large as somebody made it, and waits.
 */
export function Picture({ card }: { card: Card }) {
  return (
    <div class="picture">
      <img
        src={pictureOf(card)}
        alt=""
        loading={hasThumbnail(card) ? "lazy" : "eager"}
        decoding="async"
        width={POSTER_WIDTH}
        height={POSTER_HEIGHT}
        referrerpolicy="no-referrer"
      />
    </div>
  );
}

export function pictureOf(card: Pick<Card, "thumbnail_url" | "asset_type" | "slug">): string {
  return hasThumbnail(card) ? card.thumbnail_url : `${assetPath(card)}.svg`;
}

function hasThumbnail<C extends Pick<Card, "thumbnail_url">>(card: C): card is C & { thumbnail_url: string } {
  return card.thumbnail_url?.startsWith("https://") ?? false;
}
