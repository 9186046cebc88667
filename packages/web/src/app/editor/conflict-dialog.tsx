import { useEffect, useRef } from "preact/hooks";
import { differencesOf } from "../../data/difference.ts";
import { Differences } from "../../parts/differences.tsx";
import type { WorkspaceItem } from "../store/store.ts";

interface Props {
  mine: WorkspaceItem;
  /** The stored item, which another tab or browser has changed. */
  theirs: WorkspaceItem;
  onOverwrite: () => void;
  onKeepBoth: () => void;
  onTakeTheirs: () => void;
  onClose: () => void;
}

/**
 * Shows what differs when an item was changed in another tab or browser, and lets the user choose which version stays. Closing the dialog
 * changes nothing.
 */
export function ConflictDialog({ mine, theirs, onOverwrite, onKeepBoth, onTakeTheirs, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const content = ({ type, payload, document }: WorkspaceItem) => ({
    asset_type: type,
    payload: { ...payload, source_text: undefined },
    items: document?.items ?? [],
  });
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="conflict" onClose={onClose}>
      <h2 id="conflict">This item was changed in another tab or browser</h2>
      <p>Your changes here are not saved yet. Text that only you have is marked as new.</p>
      {mine.name !== theirs.name && (
        <p dir="auto">
          In the other one its name is <bdi>{theirs.name}</bdi>.
        </p>
      )}
      <Differences differences={differencesOf(content(theirs), content(mine))} />
      <p class="row">
        <button class="primary" type="button" onClick={onKeepBoth}>
          Keep both
        </button>
        <button type="button" onClick={onOverwrite}>
          Overwrite it with mine
        </button>
        <button type="button" onClick={onTakeTheirs}>
          Use the other one
        </button>
        <button type="button" onClick={() => dialog.current?.close()}>
          Not now
        </button>
      </p>
    </dialog>
  );
}
