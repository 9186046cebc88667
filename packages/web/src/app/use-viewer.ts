import { useEffect, useState } from "preact/hooks";
import { guestHub, type Member, member } from "./session.ts";
import { cloudShelf, liteShelf, type Shelf } from "./shelf.ts";

export interface Viewer {
  member: Member | null;
  shelf: Shelf;
}

/** Who looks, and where their items are; null until that is known. */
export function useViewer(): Viewer | null {
  const [viewer, setViewer] = useState<Viewer | null>(null);
  useEffect(() => {
    void member()
      .catch(() => null)
      .then((known) =>
        setViewer({ member: known, shelf: known ? cloudShelf(known.hub) : liteShelf(guestHub()) }),
      );
  }, []);
  return viewer;
}
