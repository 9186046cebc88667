import { useEffect, useState } from "preact/hooks";
import { guestHub, type Member, member } from "./session.ts";
import { cloudShelf, liteShelf, type Shelf } from "./store/store.ts";

export interface Viewer {
  member: Member | null;
  shelf: Shelf;
}

/** Who looks, and where their items are; null until that is known. Throws, for the boundary of the app, when it cannot be known. */
export function useViewer(): Viewer | null {
  const [viewer, setViewer] = useState<Viewer | null>(null);
  const [failure, setFailure] = useState<{ error: unknown } | null>(null);
  useEffect(() => {
    member().then(
      (known) => setViewer({ member: known, shelf: known ? cloudShelf(known.hub) : liteShelf(guestHub()) }),
      (error) => setFailure({ error }),
    );
  }, []);
  if (failure) throw failure.error;
  return viewer;
}
