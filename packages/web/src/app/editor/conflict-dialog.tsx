import { useEffect, useRef } from "preact/hooks";
import { differencesOf } from "../../data/difference.ts";
import { Differences } from "../../parts/differences.tsx";
import type { WorkspaceItem } from "../store/store.ts";

interface Props {
  mine: WorkspaceItem;
  /** As it is stored now. */
  theirs: WorkspaceItem;
  onOverwrite: () => void;
  onKeepBoth: () => void;
  onTakeTheirs: () => void;
  onClose: () => void;
}

/** An item that was changed in another tab or browser: what differs, and what becomes of both. Closing it changes nothing. */
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
      <p>What you have here is not saved yet. Marked as new is what only you have.</p>
      {mine.name !== theirs.name && (
        <p dir="auto">
          There it is named <bdi>{theirs.name}</bdi>.
        </p>
      )}
      <Differences differences={differencesOf(content(theirs), content(mine))} />
      <p class="row">
        <button class="primary" type="button" onClick={onKeepBoth}>
          Keep both
        </button>
        <button type="button" onClick={onOverwrite}>
          Save mine over it
        </button>
        <button type="button" onClick={onTakeTheirs}>
          Take the other
        </button>
        <button type="button" onClick={() => dialog.current?.close()}>
          Not now
        </button>
      </p>
    </dialog>
  );
}
