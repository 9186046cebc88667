import {
  type Finding,
  HubError,
  type OwnListing,
  type OwnOrganizations,
  type Preview,
  type Published,
  type PublishRequest,
} from "@keyhub/hub/source";
import { useEffect, useRef, useState } from "preact/hooks";
import { Findings } from "../../parts/findings.tsx";
import { failureText } from "../failure-text.ts";
import { PictureField } from "../picture-field.tsx";
import type { SignedIn } from "../session.ts";
import { Skeleton } from "../skeleton.tsx";
import type { WorkspaceItem } from "../store/store.ts";
import { PreviewOf } from "./preview-of.tsx";
import { ShareForm } from "./share-form.tsx";
import { wordsFor } from "./share-words.ts";

const NOT_PUBLISHED = "Close without publishing? What you wrote here is lost.";

export interface ShareProps {
  member: SignedIn;
  item: WorkspaceItem;
  /** The items that a starter kit may include. */
  others: WorkspaceItem[];
  /** The ids of the items that are included unless the user removes them. */
  chosen?: readonly string[];
  /** The intended readers: the short name of an organization, or "" for everybody. By default, the listing keeps its present readers. */
  audience?: string;
  onClose: () => void;
}

type Step =
  | { kind: "form"; problem: string }
  | { kind: "preview"; request: PublishRequest; preview: Preview; problem: string }
  | { kind: "confirm"; request: PublishRequest; findings: Finding[]; token: string; problem: string }
  | { kind: "done"; published: Published; problem: string };

/** Publishes an item in steps: its description, an exact preview of the public content, the scan's findings, and the listing's address. */
export function ShareDialog({
  member: { id: userId, hub },
  item,
  others,
  chosen = [],
  audience: wanted,
  onClose,
}: ShareProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [step, setStep] = useState<Step>({ kind: "form", problem: "" });
  const [busy, setBusy] = useState(false);
  const [draft, setDraft] = useState<PublishRequest | null>(null);
  const [suggestions, setSuggestions] = useState<string[]>([]);

  /** The listing to which a publication adds a version; null if a publication makes a new listing, undefined until the hub has answered. */
  const [listing, setListing] = useState<OwnListing | null | undefined>();
  const [organizations, setOrganizations] = useState<OwnOrganizations>([]);
  /** The short name of an organization, or "" for everybody; null when the user must still choose. */
  const [audience, setAudience] = useState<string | null>(wanted ?? null);
  const words = wordsFor(organizations.find(({ slug }) => slug === audience)?.name);

  const [isTyped, setTyped] = useState(false);
  const close = () => {
    if (!isTyped || step.kind === "done" || confirm(NOT_PUBLISHED)) dialog.current?.close();
  };

  /** The ids of sources that the next version includes unless the user removes them: at first `chosen` or those of the current version. */
  const [kept, setKept] = useState<readonly string[]>(chosen);
  const problem = useRef<HTMLParagraphElement>(null);

  useEffect(() => {
    if (step.problem) problem.current?.focus();
  }, [step]);

  useEffect(() => {
    dialog.current?.showModal();
    async function find(): Promise<OwnListing | null> {
      const [listings, mine] = await Promise.all([hub.ownListings(userId), hub.organizations.mine()]);
      const own = listings.find(({ ref_id }) => ref_id === item.id) ?? null;
      setOrganizations(mine);
      setAudience(wanted ?? audienceOf(own, mine));
      if (own && item.type === "orchestration") setKept(await itemsOf(hub, own.id));
      return own;
    }
    // If the listing cannot be read, no form is shown, because the new version would lose the items of the current version.
    find().then(setListing, async (error: unknown) =>
      setStep({ kind: "form", problem: await failureText(error) }),
    );
    hub.categories().then(
      ({ items }) => setSuggestions(items.map(({ tag }) => tag)),
      () => {},
    );
  }, [hub, userId, item.id, item.type]);

  /** Runs a step, and shows a failure in the step where the user is. */
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
          organizations={organizations}
          audience={audience}
          onAudience={setAudience}
          words={words}
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
          <PreviewOf preview={step.preview} readers={words.readers} />
          <p class="row">
            <button
              class="primary"
              type="button"
              disabled={busy}
              onClick={() => void publish(step.request, step)}
            >
              {words.publish}
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
          <p>Everybody who imports it sees this warning, too.</p>
          <p class="row">
            <button
              class="primary"
              type="button"
              disabled={busy}
              onClick={() => void publish({ ...step.request, scan_token: step.token }, step)}
            >
              {words.publish} all the same
            </button>
            <button type="button" onClick={() => dialog.current?.close()}>
              {words.not}
            </button>
          </p>
        </>
      )}
      {step.kind === "done" && (
        <>
          <p role="status">
            {words.done} <a href={step.published.permalink}>{words.see}</a>
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

/**
 * Returns the present audience of a listing; null when that is an organization that the caller has left, so that the caller must choose.
 */
function audienceOf(listing: OwnListing | null, organizations: OwnOrganizations): string | null {
  if (!listing?.organization_id) return "";
  return organizations.find(({ id }) => id === listing.organization_id)?.slug ?? null;
}

/** Returns the ids of the sources of the items in a listing's current version. */
async function itemsOf(hub: SignedIn["hub"], id: string): Promise<string[]> {
  const asset = await hub.asset(id);
  return "items" in asset ? asset.items.flatMap(({ ref_id }) => ref_id ?? []) : [];
}
