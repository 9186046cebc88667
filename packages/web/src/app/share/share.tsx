import {
  type AssetType,
  type Finding,
  HubError,
  type License,
  type OwnListing,
  type Preview,
  type Published,
  type PublishRequest,
} from "@keyhub/hub/source";
import { useEffect, useRef, useState } from "preact/hooks";
import { TYPE_NAMES } from "../../data/addresses.ts";
import { Findings } from "../../parts/findings.tsx";
import { LICENSE_WORDS } from "../../parts/format.ts";
import { failureText } from "../failure-text.ts";
import { PictureField } from "../picture-field.tsx";
import type { Member } from "../session.ts";
import { Skeleton } from "../skeleton.tsx";
import type { WorkspaceItem } from "../store/store.ts";
import { PreviewOf } from "./preview-of.tsx";

const NOT_PUBLISHED = "Close without publishing? What you wrote here is lost.";

const LICENSES = ["cc-by", "cc0", "platform-free"] as const satisfies readonly License[];

export interface ShareProps {
  member: Member;
  item: WorkspaceItem;
  /** What a starter kit may take along. */
  others: WorkspaceItem[];
  /** Those that it takes along unless they are taken out, by id. */
  chosen?: readonly string[];
  onClose: () => void;
}

type Step =
  | { kind: "form"; problem: string }
  | { kind: "preview"; request: PublishRequest; preview: Preview; problem: string }
  | { kind: "confirm"; request: PublishRequest; findings: Finding[]; token: string; problem: string }
  | { kind: "done"; published: Published; problem: string };

/** Publishes an item in steps: what it is called, exactly what will be public, what the scan found, the address. */
export function ShareDialog({ member: { id: userId, hub }, item, others, chosen = [], onClose }: ShareProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [step, setStep] = useState<Step>({ kind: "form", problem: "" });
  const [busy, setBusy] = useState(false);
  const [draft, setDraft] = useState<PublishRequest | null>(null);
  const [suggestions, setSuggestions] = useState<string[]>([]);

  /** The listing that a publication adds a version to; undefined until that is known. */
  const [listing, setListing] = useState<OwnListing | null | undefined>();

  const [isTyped, setTyped] = useState(false);
  const close = () => {
    if (!isTyped || step.kind === "done" || confirm(NOT_PUBLISHED)) dialog.current?.close();
  };

  /** Sources of the items of the listing's current version, which its next version has as well unless they are taken out. */
  const [kept, setKept] = useState<readonly string[]>(chosen);
  const problem = useRef<HTMLParagraphElement>(null);

  useEffect(() => {
    if (step.problem) problem.current?.focus();
  }, [step]);

  useEffect(() => {
    dialog.current?.showModal();
    async function find(): Promise<OwnListing | null> {
      const own = (await hub.ownListings(userId)).find(({ ref_id }) => ref_id === item.id) ?? null;
      if (own && item.type === "orchestration") setKept(await itemsOf(hub, own.id));
      return own;
    }
    // Without it no form: it would make a version that has lost what the current one has.
    find().then(setListing, async (error: unknown) =>
      setStep({ kind: "form", problem: await failureText(error) }),
    );
    hub.categories().then(
      ({ items }) => setSuggestions(items.map(({ tag }) => tag)),
      () => {},
    );
  }, [hub, userId, item.id, item.type]);

  /** Shows what went wrong where the person is. */
  async function attempt(at: Step, work: () => Promise<Step>): Promise<void> {
    setBusy(true);
    try {
      setStep(await work());
    } catch (error) {
      setStep({ ...at, problem: await failureText(error) });
    } finally {
      setBusy(false);
    }
  }

  const look = (request: PublishRequest) => {
    setDraft(request);
    return attempt({ kind: "form", problem: "" }, async () => ({
      ...{ kind: "preview", request, preview: await hub.preview(request), problem: "" },
    }));
  };

  const publish = (request: PublishRequest, at: Step) =>
    attempt(at, async () => {
      try {
        return { kind: "done", published: await hub.publish(request), problem: "" };
      } catch (error) {
        if (!(error instanceof HubError) || error.code !== "scan_confirmation_required") throw error;
        const { findings, scan_token } = error.problem.more as { findings: Finding[]; scan_token: string };
        return { kind: "confirm", request, findings, token: scan_token, problem: "" };
      }
    });

  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby="share-title"
      onClose={onClose}
      onInput={() => setTyped(true)}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
    >
      <h2 id="share-title">
        Share “<bdi>{item.name}</bdi>”
      </h2>
      {step.problem && (
        <p
          class="problem"
          role="alert"
          ref={problem}
          tabIndex={-1}
          data-offline={navigator.onLine ? undefined : ""}
        >
          {step.problem}
        </p>
      )}
      {step.kind === "form" && listing === undefined && !step.problem && <Skeleton />}
      {step.kind === "form" && listing !== undefined && (
        <ShareForm
          item={item}
          listing={listing}
          draft={draft}
          kept={kept}
          others={others}
          suggestions={suggestions}
          busy={busy}
          onSubmit={look}
        />
      )}
      {step.kind === "preview" && (
        <>
          <PreviewOf preview={step.preview} />
          <p class="row">
            <button
              class="primary"
              type="button"
              disabled={busy}
              onClick={() => void publish(step.request, step)}
            >
              Publish
            </button>
            <button type="button" onClick={() => setStep({ kind: "form", problem: "" })}>
              Back
            </button>
          </p>
        </>
      )}
      {step.kind === "confirm" && (
        <>
          <Findings findings={step.findings} />
          <p>Whoever imports it will see this warning, too.</p>
          <p class="row">
            <button
              class="primary"
              type="button"
              disabled={busy}
              onClick={() => void publish({ ...step.request, scan_token: step.token }, step)}
            >
              Publish all the same
            </button>
            <button type="button" onClick={() => dialog.current?.close()}>
              Do not publish
            </button>
          </p>
        </>
      )}
      {step.kind === "done" && (
        <>
          <p role="status">
            Published. <a href={step.published.permalink}>See it on the hub</a>
          </p>
          <PictureField listing={step.published.asset} hub={hub} />
        </>
      )}
      <p>
        <button type="button" onClick={close}>
          Close
        </button>
      </p>
    </dialog>
  );
}

/** What a listing's current version takes along, by its sources. */
async function itemsOf(hub: Member["hub"], id: string): Promise<string[]> {
  const asset = await hub.asset(id);
  return "items" in asset ? asset.items.flatMap(({ ref_id }) => ref_id ?? []) : [];
}

interface FormProps {
  item: WorkspaceItem;
  listing: OwnListing | null;
  kept: readonly string[];
  /** What was typed before the preview. */
  draft: PublishRequest | null;
  others: WorkspaceItem[];
  suggestions: string[];
  busy: boolean;
  onSubmit: (request: PublishRequest) => void;
}

function ShareForm({ item, listing, kept, draft, others, suggestions, busy, onSubmit }: FormProps) {
  const [tags, setTags] = useState((draft ?? listing ?? item.about)?.tags?.join(" ") ?? "");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const kit = form.getAll("item").map((value) => {
      const [type, ref_id] = String(value).split(" ");
      return { asset_type: type as AssetType, ref_id: ref_id ?? "" };
    });
    onSubmit({
      asset_type: item.type,
      ref_id: item.id,
      title: String(form.get("title")),
      description: String(form.get("description")),
      tags: tags.split(/[\s,]+/).filter(Boolean),
      license: String(form.get("license")) as License,
      ...(listing && { label: String(form.get("label")), changelog: String(form.get("changelog")) }),
      ...(item.type === "orchestration" ? { mode: form.get("mode") as "bundle" | "pipeline" } : {}),
      ...(kit.length > 0 ? { items: kit } : {}),
    });
  };
  return (
    <form class="stack" onSubmit={submit}>
      {listing && (
        <p class="note">
          “<bdi>{listing.title}</bdi>” is on the hub with version {listing.current_version}. What you publish
          here becomes its next version.
        </p>
      )}
      {listing && (
        <>
          <label class="field">
            <span>What changed, for people who have a copy</span>
            <textarea
              name="changelog"
              defaultValue={draft?.changelog ?? ""}
              maxLength={4000}
              rows={2}
              dir="auto"
            />
          </label>
          <label class="field">
            <span>Name of the version, such as 1.2 (you can leave it empty)</span>
            <input name="label" defaultValue={draft?.label ?? ""} maxLength={32} dir="auto" />
          </label>
        </>
      )}
      <label class="field">
        <span>Title</span>
        <input
          name="title"
          defaultValue={(draft ?? listing)?.title ?? item.name}
          required
          maxLength={120}
          dir="auto"
        />
      </label>
      <label class="field">
        <span>Description: what it does, and for whom</span>
        <textarea
          name="description"
          defaultValue={(draft ?? listing ?? item.about)?.description ?? ""}
          required
          maxLength={2000}
          rows={3}
          dir="auto"
        />
      </label>
      <label class="field">
        <span>Tags, at most 20, with a space between two</span>
        <input
          name="tags"
          value={tags}
          onInput={({ currentTarget }) => setTags(currentTarget.value)}
          placeholder="summarization 1to1 gpt-5-mini"
        />
      </label>
      {suggestions.length > 0 && (
        <ul class="tags" aria-label="Suggested tags">
          {suggestions
            .filter((tag) => !tags.includes(tag))
            .map((tag) => (
              <li key={tag}>
                <button class="tag" type="button" onClick={() => setTags(`${tags} ${tag}`.trim())}>
                  #{tag}
                </button>
              </li>
            ))}
        </ul>
      )}
      <fieldset class="stack">
        <legend>License</legend>
        {LICENSES.map((license) => (
          <label key={license} class="choice">
            <input
              type="radio"
              name="license"
              value={license}
              required
              defaultChecked={license === ((draft ?? listing)?.license ?? "cc-by")}
            />
            <span>
              <strong>{LICENSE_WORDS[license].name}</strong>{" "}
              <span class="quiet">{LICENSE_WORDS[license].says}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {item.type === "orchestration" && (
        <>
          <label class="field">
            <span>What goes along</span>
            <select name="mode" defaultValue={draft?.mode ?? "bundle"}>
              <option value="bundle">The pipeline and the templates that it uses (recommended)</option>
              <option value="pipeline">The pipeline only</option>
            </select>
          </label>
          {others.length > 0 && (
            <fieldset class="kit">
              <legend>Starter kit: take further items along</legend>
              {others.map((other) => (
                <label key={other.id} class="choice">
                  <input
                    type="checkbox"
                    name="item"
                    value={`${other.type} ${other.id}`}
                    defaultChecked={
                      draft ? draft.items?.some(({ ref_id }) => ref_id === other.id) : kept.includes(other.id)
                    }
                  />
                  <span dir="auto">
                    {other.name} <span class="quiet">{TYPE_NAMES[other.type].one}</span>
                  </span>
                </label>
              ))}
            </fieldset>
          )}
        </>
      )}
      <p>
        <button class="primary" type="submit" disabled={busy}>
          Look at what will be public
        </button>
      </p>
    </form>
  );
}
