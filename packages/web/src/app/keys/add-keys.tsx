import { HubError } from "@keyhub/hub/source";
import { useRef, useState } from "preact/hooks";
import { failureText } from "../failure-text.ts";
import { setting } from "../session.ts";
import { readPasted } from "./pasted.ts";
import type { PoolCalls } from "./pool.ts";

interface Props {
  userId: string;
  pool: PoolCalls;
  onChange: () => Promise<void>;
}

/** The result of a pasted line. */
interface Fate {
  number: number;
  text: string;
  isAdded: boolean;
}

/**
 * Adds pasted keys. Each key is sealed in this browser with the public key, so that the server never sees it. Lines that could not be added
 * stay in the field, so nothing is lost when a session ends.
 */
export function AddKeys({ userId, pool, onChange }: Props) {
  const sealKeyText = setting("seal");
  const [text, setText] = useState("");
  const [fates, setFates] = useState<Fate[]>([]);
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);

  if (sealKeyText === "")
    return (
      <p class="note">
        Keys cannot be added here: the operator of this site has not set its public seal key
        (KEYHUB_SEAL_KEY).
      </p>
    );

  async function add(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const data = new FormData(form.current as HTMLFormElement);
    const provider = String(data.get("provider")).trim().toLowerCase() || null;
    const account = String(data.get("account")).trim() || null;
    const priority = Number(data.get("priority") || 0);
    setBusy(true);
    const told: Fate[] = [];
    const lines = text.split(/\r?\n/);
    const added = new Set<number>();
    try {
      const { sealKey, hintOf } = await import("@keyhub/core/seal");
      for (const line of readPasted(text)) {
        const { number } = line;
        if (line.fault !== undefined) {
          told.push({ number, text: line.fault, isAdded: false });
          continue;
        }
        const key_name = line.name ?? [provider ?? "key", hintOf(line.key) || String(number)].join(" ");
        try {
          const sealed = await sealKey(sealKeyText, userId, line.key);
          await pool.add({ key_name, sealed, provider, account, priority });
          told.push({ number, text: `added as “${key_name}”`, isAdded: true });
          added.add(number);
        } catch (error) {
          told.push({ number, text: await failureText(error), isAdded: false });
          // A 422 is about this line only. Any other error would also stop the remaining lines, so they are not tried.
          if (!(error instanceof HubError) || error.problem.status !== 422) break;
        }
      }
    } finally {
      setText(
        lines
          .filter((_, place) => !added.has(place + 1))
          .join("\n")
          .trim(),
      );
      setFates(told);
      setBusy(false);
      await onChange();
    }
  }

  return (
    <details class="add-keys">
      <summary>Add keys</summary>
      <form class="stack" ref={form} onSubmit={add} autocomplete="off">
        <label class="field">
          <span>
            Keys, one a line, or name=key. They are sealed in this browser: nobody reads them here, not even
            the operator.
          </span>
          <textarea
            name="keys"
            rows={4}
            required
            value={text}
            spellcheck={false}
            autocapitalize="off"
            dir="ltr"
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <div class="row">
          <label class="field">
            <span>Provider, such as openai (empty: any)</span>
            <input name="provider" maxLength={63} pattern="[A-Za-z0-9][A-Za-z0-9._\-]*" />
          </label>
          <label class="field">
            <span>Account: keys of one account share its limits</span>
            <input name="account" maxLength={200} dir="auto" />
          </label>
          <label class="field">
            <span>Priority: higher is leased first</span>
            <input name="priority" type="number" min={-1000} max={1000} defaultValue="0" />
          </label>
        </div>
        <p>
          <button class="primary" type="submit" disabled={busy}>
            {busy ? "Sealing…" : "Seal and add"}
          </button>
        </p>
      </form>
      <div role="status">
        {fates.length > 0 && (
          <ul class="fates">
            {fates.map(({ number, text, isAdded }) => (
              <li key={number} class={isAdded ? undefined : "fault"}>
                Line {number}: <bdi>{text}</bdi>
              </li>
            ))}
          </ul>
        )}
      </div>
    </details>
  );
}
