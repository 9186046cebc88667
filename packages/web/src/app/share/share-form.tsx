import type { AssetType, License, OwnListing, OwnOrganizations, PublishRequest } from "@keyhub/hub/source";
import { useState } from "preact/hooks";
import { TYPE_NAMES } from "../../data/addresses.ts";
import { LICENSE_WORDS } from "../../parts/format.ts";
import type { WorkspaceItem } from "../store/store.ts";
import type { ShareWords } from "./share-words.ts";

const LICENSES = ["cc-by", "cc0", "platform-free", "paid"] as const satisfies readonly License[];

interface FormProps {
  item: WorkspaceItem;
  listing: OwnListing | null;
  organizations: OwnOrganizations;
  audience: string | null;
  onAudience: (audience: string) => void;
  words: ShareWords;
  kept: readonly string[];
  /** The request that was typed before the preview. It fills the form again when the user goes back. */
  draft: PublishRequest | null;
  others: WorkspaceItem[];
  suggestions: string[];
  busy: boolean;
  onSubmit: (request: PublishRequest) => void;
}

/** The first step: what is published, for whom, and under which license. */
export function ShareForm(props: FormProps) {
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
