import { useEffect, useState } from "preact/hooks";
import { guestHub, member, type SignedIn } from "./session.ts";
import { accountStore, browserStore, type WorkspaceStore } from "./store/store.ts";

export interface Viewer {
  member: SignedIn | null;
  store: WorkspaceStore;
}

/**
 * Returns the viewer with the store of their items; null until the session is read. If reading fails, throws to the app's error boundary.
 */
export function useViewer(): Viewer | null {
  const [viewer, setViewer] = useState<Viewer | null>(null);
  const [failure, setFailure] = useState<{ error: unknown } | null>(null);
  useEffect(() => {
    member().then(
      (known) =>
        setViewer({
          member: known,
          store: known ? accountStore(known.hub, known.id) : browserStore(guestHub()),
        }),
      (error) => setFailure({ error }),
    );
  }, []);
  if (failure) throw failure.error;
  return viewer;
}
