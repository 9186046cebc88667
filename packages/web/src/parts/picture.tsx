import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { assetPath } from "../data/addresses.ts";
import { type Card, pictureUrl } from "../data/hub.ts";
import { POSTER_HEIGHT, POSTER_WIDTH } from "./poster/poster.tsx";

/** The address of the project, which serves the pictures that owners upload. */
export const ProjectUrl = createContext("");

interface Props {
  card: Card;
  /** The address to use instead of the public picture. */
  src?: string | undefined;
}

/**
 * Shows the picture on top of a card: an uploaded one, the thumbnail, or a drawing of the content. The picture repeats what the card's text
 * says, so its alternative text is empty. A drawing is small, so it is loaded at once, even below the visible part of the page. So a
 * screenshot of the whole page shows it. Other pictures may be large, so they are loaded lazily.
 */
export function Picture({ card, src }: Props) {
  const chosen = useChosenPicture(card);
  return (
    <div class="picture">
      <img
        src={src ?? chosen ?? `${assetPath(card)}.svg`}
        alt=""
        loading={chosen === null ? "eager" : "lazy"}
        decoding="async"
        width={POSTER_WIDTH}
        height={POSTER_HEIGHT}
        referrerpolicy="no-referrer"
      />
    </div>
  );
}

export function usePictureOf(card: Card): string {
  return useChosenPicture(card) ?? `${assetPath(card)}.svg`;
}

export function useChosenPicture(card: Chosen): string | null {
  return chosenPicture(card, useContext(ProjectUrl));
}

type Chosen = Pick<Card, "id" | "picture" | "thumbnail_url">;

/** Returns the address of the picture that the owner has chosen: an uploaded one, or else one on another site. Null if there is none. */
export function chosenPicture(card: Chosen, projectUrl: string): string | null {
  const elsewhere = card.thumbnail_url?.startsWith("https://") ? card.thumbnail_url : null;
  return pictureUrl(projectUrl, card) ?? elsewhere;
}
