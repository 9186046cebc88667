import type { Hub } from "@keyhub/hub/source";
import { useEffect, useId, useState } from "preact/hooks";
import { failureText } from "./failure-text.ts";

interface Props {
  listing: { id: string; picture: string | null };
  hub: Hub;
  onStored?: () => void;
}

/** Lets the owner of a listing upload its picture. A chosen file is stored at once, without its name. */
export function PictureField({ listing: { id, picture }, hub, onStored }: Props) {
  const [stored, setStored] = useState(picture);
  /** The picture as a data URL: an `<img>` cannot send the access token that the picture of a private listing requires. */
  const [shown, setShown] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState({ text: "", isProblem: false });
  const hint = useId();

  async function attempt(work: () => Promise<string>): Promise<void> {
    setBusy(true);
    try {
      setSaid({ text: await work(), isProblem: false });
    } catch (error) {
      setSaid({ text: await failureText(error), isProblem: true });
    } finally {
      setBusy(false);
    }
  }

  useEffect(() => {
    let isCurrent = true;
    setShown(null);
    if (stored !== null)
      hub.picture(id, stored).then(
        (found) => isCurrent && setShown(found && `data:${found.media_type};base64,${found.bytes}`),
        async (error: unknown) => setSaid({ text: await failureText(error), isProblem: true }),
      );
    return () => {
      isCurrent = false;
    };
  }, [hub, id, stored]);

  const set = (file: File | null) =>
    attempt(async () => {
      setStored((await hub.setPicture(id, file && new Blob([file]))).picture);
      onStored?.();
      return file ? "The picture is on the listing." : "The picture is removed.";
    });

  return (
    <div class="stack picture-field" aria-busy={busy}>
      {shown && <img class="own-picture" src={shown} alt="What stands on the listing now" />}
      <label class="field">
        <span>{stored ? "Another picture of your own" : "A picture of your own"}</span>
        <input
          type="file"
          accept="image/png,image/jpeg,image/webp"
          aria-describedby={hint}
          disabled={busy}
          onChange={(event) => {
            const input = event.currentTarget;
            const [file] = input.files ?? [];
            if (file) void set(file).then(() => (input.value = ""));
          }}
        />
      </label>
      <p class="quiet" id={hint}>
        PNG, JPEG or WebP, at most 1 MB. It is stored at once; place, camera and other data in the file are
        taken out.
      </p>
      {stored && (
        <p>
          <button type="button" disabled={busy} onClick={() => void set(null)}>
            Remove the picture
          </button>
        </p>
      )}
      {said.text && (
        <p class={said.isProblem ? "problem" : "quiet"} role={said.isProblem ? "alert" : "status"}>
          {said.text}
        </p>
      )}
    </div>
  );
}
