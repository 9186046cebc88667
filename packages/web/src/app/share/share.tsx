import {
  type AssetType,
  type Finding,
  HubError,
  type License,
  type OwnListing,
  type OwnOrganizations,
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
import type { SignedIn } from "../session.ts";
import { Skeleton } from "../skeleton.tsx";
import type { WorkspaceItem } from "../store/store.ts";
import { PreviewOf } from "./preview-of.tsx";

const NOT_PUBLISHED = "Close without publishing? What you wrote here is lost.";

const LICENSES = ["cc-by", "cc0", "platform-free", "paid"] as const satisfies readonly License[];

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

  /** The ids of the sources that the next version includes unless the user removes them. At first, those of the current version. */
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

/** Returns the texts of the steps, for everybody or for the members of an organization. */
function wordsFor(organization: string | undefined) {
  return organization === undefined
    ? {
        readers: "everybody",
        look: "Look at what will be public",
        publish: "Publish",
        not: "Do not publish",
        done: "Published.",
        see: "See it on the hub",
      }
    : {
        readers: `the members of ${organization}`,
        look: "Look at what members will see",
        publish: "Share",
        not: "Do not share",
        done: "Shared.",
        see: "See it on the shelf",
      };
}

/** Returns the ids of the sources of the items in a listing's current version. */
async function itemsOf(hub: SignedIn["hub"], id: string): Promise<string[]> {
  const asset = await hub.asset(id);
  return "items" in asset ? asset.items.flatMap(({ ref_id }) => ref_id ?? []) : [];
}

interface FormProps {
  item: WorkspaceItem;
  listing: OwnListing | null;
  organizations: OwnOrganizations;
  audience: string | null;
  onAudience: (audience: string) => void;
  words: ReturnType<typeof wordsFor>;
  kept: readonly string[];
  /** The request that was typed before the preview. It fills the form again when the user goes back. */
  draft: PublishRequest | null;
  others: WorkspaceItem[];
  suggestions: string[];
  busy: boolean;
  onSubmit: (request: PublishRequest) => void;
}

function ShareForm(props: FormProps) {
  const { item, listing, organizations, audience, onAudience, words } = props;
  const { kept, draft, others, suggestions, busy, onSubmit } = props;
  const [tags, setTags] = useState((draft ?? listing ?? item.about)?.tags?.join(" ") ?? "");
  const [license, setLicense] = useState<string>((draft ?? listing)?.license ?? "cc-by");
  const offer: Partial<Pick<PublishRequest, "price_cents" | "teaser">> = draft ?? listing ?? {};
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
      license: license as License,
      ...(license === "paid" && {
        price_cents: Math.round(Number(form.get("price")) * 100),
        teaser: String(form.get("teaser")),
      }),
      ...(audience && { organization: audience }),
      ...(listing && { label: String(form.get("label")), changelog: String(form.get("changelog")) }),
      ...(item.type === "orchestration" ? { mode: form.get("mode") as "bundle" | "pipeline" } : {}),
      ...(kit.length > 0 ? { items: kit } : {}),
    });
  };
  return (
    <form class="stack" onSubmit={submit}>
      {listing && <NoteOnListing listing={listing} organizations={organizations} audience={audience} />}
      {(organizations.length > 0 || audience === null) && (
        <fieldset class="stack">
          <legend>Who can see it</legend>
          {[{ slug: "", name: "Everybody" }, ...organizations].map(({ slug, name }) => (
            <label key={slug} class="choice">
              <input
                type="radio"
                name="audience"
                required
                checked={slug === audience}
                onChange={() => onAudience(slug)}
              />
              <span>
                {slug === "" ? (
                  name
                ) : (
                  <>
                    Only members of <bdi>{name}</bdi>
                  </>
                )}
              </span>
            </label>
          ))}
        </fieldset>
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
        {LICENSES.map((one) => (
          <label key={one} class="choice">
            <input
              type="radio"
              name="license"
              value={one}
              required
              checked={one === license}
              onInput={() => setLicense(one)}
            />
            <span>
              <strong>{LICENSE_WORDS[one].name}</strong> <span class="quiet">{LICENSE_WORDS[one].says}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {license === "paid" && (
        <>
          <label class="field">
            <span>Price, from 1 to 1,000, in the currency of the platform</span>
            <input
              name="price"
              type="number"
              min="1"
              max="1000"
              step="0.01"
              required
              defaultValue={offer.price_cents ? String(offer.price_cents / 100) : ""}
            />
          </label>
          <label class="field">
            <span>A look inside: what everybody reads instead of the content</span>
            <textarea
              name="teaser"
              required
              maxLength={2000}
              rows={4}
              dir="auto"
              defaultValue={offer.teaser ?? ""}
            />
          </label>
          <p class="quiet">
            Only buyers read and import it. To sell you need a <a href="/workspace/revenue">payout account</a>
            .
          </p>
        </>
      )}
      {item.type === "orchestration" && (
        <>
          <label class="field">
            <span>What is included</span>
            <select name="mode" defaultValue={draft?.mode ?? "bundle"}>
              <option value="bundle">The pipeline and the templates that it uses (recommended)</option>
              <option value="pipeline">The pipeline only</option>
            </select>
          </label>
          {others.length > 0 && (
            <fieldset class="kit">
              <legend>Starter kit: include further items</legend>
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
          {words.look}
        </button>
      </p>
    </form>
  );
}

interface NoteProps {
  listing: OwnListing;
  organizations: OwnOrganizations;
  audience: string | null;
}

/** Explains that the publication becomes the next version of the existing listing, and who can read the earlier versions. */
function NoteOnListing({ listing, organizations, audience }: NoteProps) {
  const { title, current_version: version, organization_id } = listing;
  const shared = organizations.find(({ id }) => id === organization_id);
  const wasFor =
    organization_id === null
      ? "everybody"
      : shared
        ? `members of ${shared.name}`
        : "members of an organization that you are not in";
  const isOther = audience !== null && audience !== (organization_id === null ? "" : shared?.slug);
  return (
    <p class="note" dir="auto">
      “<bdi>{title}</bdi>” {organization_id === null ? "is on the hub" : `is for ${wasFor}`}, with version{" "}
      {version}. What you publish here becomes its next version
      {isOther && organization_id !== null ? `; version ${version} and those before stay for ${wasFor}` : ""}.
    </p>
  );
}
