import type { Requirement } from "@keyhub/core/formats";
import { type Asset, HubError, type OwnListing, type Versions } from "@keyhub/hub/source";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { startCopying } from "../../browser/copy.ts";
import { startDrawings } from "../../browser/drawing.ts";
import { say } from "../../browser/message.ts";
import { sayNotLoaded } from "../../browser/offline.ts";
import { startPreview } from "../../browser/preview.ts";
import { showFailure } from "../../browser/show-failure.ts";
import { startTemplate } from "../../browser/template.ts";
import { assetPath, creatorPath, sharedPath, shelfPath, TYPE_NAMES } from "../../data/addresses.ts";
import type { Listing } from "../../data/hub.ts";
import { addressOf, emptyQuery } from "../../data/query.ts";
import { Badge } from "../../parts/attribution.tsx";
import { MembersOnly } from "../../parts/audience.tsx";
import { Content } from "../../parts/content.tsx";
import { counted, date, LICENSE_WORDS, number, tagName } from "../../parts/format.ts";
import { History } from "../../parts/history.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Initial } from "../../parts/initial.tsx";
import { Models, Needs } from "../../parts/needs.tsx";
import { FailureNote } from "../failure-note.tsx";
import { type ShownFailure, shownFailureOf } from "../failure-text.ts";
import { LazyShareDialog } from "../share/share-lazy.tsx";
import { Skeleton } from "../skeleton.tsx";
import { saveFile } from "../store/export.ts";
import type { WorkspaceItem } from "../store/store.ts";
import { NothingHere, OrganizationPage, type Scene } from "./organization.tsx";
import { posterOf } from "./poster-of.tsx";

/** Shows one listing of a shelf to members. */
export default function SharedListing({ slug, asset }: { slug: string; asset: string }) {
  const { query } = useLocation();
  const version = /^[1-9]\d{0,8}$/.test(query.v ?? "") ? Number(query.v) : undefined;
  return (
    <OrganizationPage slug={slug}>
      {(scene) => (
        <ListingOf key={`${scene.organization.id} ${asset}`} name={asset} version={version} {...scene} />
      )}
    </OrganizationPage>
  );
}

interface Shown {
  listing: Listing;
  versions: Versions;
  /** The listing with the fields that only its creator sees; null when the caller is not the creator. */
  own: OwnListing | null;
}

interface ListingProps extends Scene {
  /** The slug or the id of the listing. */
  name: string;
  /** The requested version; undefined for the current version. */
  version: number | undefined;
}

function ListingOf({ name, version, ...scene }: ListingProps) {
  const { member, organization } = scene;
  const { hub } = member;
  const [shown, setShown] = useState<Shown | "nothing" | null>(null);
  const [failure, setFailure] = useState<ShownFailure | null>(null);

  /** Increases with each request, so that a late answer to an earlier request is ignored. */
  const turn = useRef(0);

  const load = useCallback(async () => {
    turn.current += 1;
    const own = turn.current;
    setFailure(null);
    try {
      const read = await readShared(scene, name, version);
      if (own !== turn.current) return;
      if (read !== "nothing" && "public" in read) location.replace(read.public);
      else setShown(read);
    } catch (error) {
      const failed = await shownFailureOf(error);
      if (own === turn.current) setFailure(failed);
    }
  }, [hub, member.id, organization.id, name, version]);
  useEffect(() => void load(), [load]);

  if (failure) return <FailureNote failure={failure} onRetry={load} />;
  if (shown === null) return <Skeleton />;
  if (shown === "nothing") return <NothingHere />;
  return <Page key={shown.listing.version} {...scene} {...shown} load={load} />;
}

/** Returns the listing if the caller may see it on this shelf, or else "nothing". For a public listing, returns its address on the hub. */
async function readShared(
  { member, organization }: Scene,
  name: string,
  version: number | undefined,
): Promise<Shown | "nothing" | { public: string }> {
  const { hub, id } = member;
  try {
    const asset = await hub.asset(name, version === undefined ? {} : { version });
    if (asset.deleted) return "nothing";
    if (asset.is_visible) return { public: assetPath(asset) };
    if (!isShownIn(organization.id, asset)) return "nothing";
    const [versions, listings] = await Promise.all([
      hub.versions(asset.id),
      asset.creator_id === id ? hub.ownListings(id) : [],
    ]);
    return { listing: asset, versions, own: listings.find((one) => one.id === asset.id) ?? null };
  } catch (error) {
    if (error instanceof HubError && error.problem.status === 404) return "nothing";
    throw error;
  }
}

/** Returns whether the listing is of this organization and the caller may read its content. */
function isShownIn(organizationId: string, asset: Asset): asset is Listing {
  return asset.organization?.id === organizationId && asset.payload !== null;
}

interface PageProps extends Scene, Shown {
  load: () => Promise<void>;
}

function Page({ viewer, member, organization, listing, versions, own, load }: PageProps) {
  const { slug } = organization;
  const path = sharedPath(slug, listing);
  const license = LICENSE_WORDS[listing.version_license];
  const place = useRef<HTMLElement>(null);
  const tagPath = (tag: string) => addressOf(shelfPath(slug), emptyQuery({ tags: [tag] }));

  useEffect(() => {
    const root = place.current;
    if (!root) return;
    for (const start of [startTemplate, startCopying, startDrawings, startPreview]) start(root);
    import("../../browser/actions.ts").then((actions) => actions.showStars(member.hub), sayNotLoaded);
  }, [member.hub]);

  return (
    <article
      ref={place}
      class={`asset ${listing.asset_type}`}
      data-asset={listing.id}
      data-slug={listing.slug}
      data-type={listing.asset_type}
      data-title={listing.title}
    >
      <header class="asset-head">
        <img class="asset-poster" src={posterOf(listing)} alt="" width="480" height="240" decoding="async" />
        <p class="kind">
          <Icon name={listing.asset_type} />
          {TYPE_NAMES[listing.asset_type].one}
        </p>
        <h1 dir="auto">{listing.title}</h1>
        <p>
          <MembersOnly name={organization.name} />
        </p>
        <p class="by">
          {listing.creator ? (
            <>
              <Initial of={listing.creator.username} />
              by <a href={creatorPath(listing.creator.username)}>@{listing.creator.username}</a>
            </>
          ) : (
            "by a deleted account"
          )}
          {listing.published_at && <> · {date(listing.published_at)}</>}
        </p>
        {listing.attribution && <Badge attribution={listing.attribution} shelf={slug} />}
        <ul class="asset-counts">
          <li>
            <Icon name="star" /> <span data-stars={listing.id}>{number(listing.star_count)}</span>{" "}
            <span data-star-word>{listing.star_count === 1 ? "star" : "stars"}</span>
          </li>
          <li>
            <Icon name="install" /> {counted(listing.install_count, "install")}
          </li>
        </ul>
        <div class="actions">
          <button class="primary" type="button" data-action="use">
            <Icon name="install" /> Use this
          </button>
          <button type="button" data-action="remix">
            <Icon name="remix" /> Remix
          </button>
          <button class="button" type="button" data-action="star">
            <Icon name="star" /> <span>Star</span>
          </button>
          <button class="button quiet" type="button" data-action="report">
            <Icon name="flag" /> Report
          </button>
        </div>
        {own && <ForCreator {...{ viewer, member, organization, own, load }} />}
      </header>
      <div class="asset-columns">
        <div class="asset-main" id="content">
          {listing.thumbnail_url?.startsWith("https://") && (
            <img class="asset-picture" src={listing.thumbnail_url} alt="" referrerpolicy="no-referrer" />
          )}
          {listing.version !== listing.current_version && (
            <p class="note">
              This is version {listing.version}.{" "}
              <a href={path}>The current one is {listing.current_version}.</a>
            </p>
          )}
          {listing.description && (
            <p class="description" dir="auto">
              {listing.description}
            </p>
          )}
          <Content asset={listing} findings={listing.scan?.findings ?? []} shelf={slug} />
          {versions.length > 1 && (
            <section aria-labelledby="versions">
              <h2 id="versions">Versions</h2>
              <History
                versions={versions}
                current={listing.current_version}
                pathOf={(version) => (version === listing.current_version ? path : `${path}?v=${version}`)}
                heading="h3"
              />
            </section>
          )}
        </div>
        <aside class="asset-side" aria-label="Details">
          <dl class="details">
            <div>
              <dt>License</dt>
              <dd>
                <strong>{license.name}</strong>
                <br />
                <span class="quiet">{license.says}</span>
              </dd>
            </div>
            <Models asset={listing} pathOf={tagPath} />
            <div>
              <dt>Version</dt>
              <dd>
                {listing.version}
                {listing.label && (
                  <>
                    {" "}
                    · <bdi>{listing.label}</bdi>
                  </>
                )}
              </dd>
            </div>
            {listing.tags.length > 0 && (
              <div>
                <dt>Tags</dt>
                <dd>
                  <ul class="tags">
                    {listing.tags.map((tag) => (
                      <li key={tag}>
                        <a class="tag" href={tagPath(tag)} dir="auto">
                          #{tagName(tag)}
                        </a>
                      </li>
                    ))}
                  </ul>
                </dd>
              </div>
            )}
            <Downloads listing={listing} />
          </dl>
        </aside>
      </div>
    </article>
  );
}

type CreatorProps = Omit<Scene, "reload"> & { own: OwnListing; load: () => Promise<void> };

/** Shows the actions of the creator of a shared listing. */
function ForCreator({ viewer, member, organization, own, load }: CreatorProps) {
  const [item, setItem] = useState<{ shared: WorkspaceItem; others: WorkspaceItem[] } | null>(null);

  async function attempt(done: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      say(done);
    } catch (error) {
      await showFailure(error, () => void attempt(done, work));
    }
    await load();
  }

  async function publish(): Promise<void> {
    try {
      const items = await viewer.store.list();
      const shared = items.find(({ id }) => id === own.ref_id);
      if (shared) setItem({ shared, others: items.filter((one) => one !== shared) });
      else say("The item that it was made from is no longer in your workspace.");
    } catch (error) {
      await showFailure(error, () => void publish());
    }
  }

  return (
    <>
      {!own.is_shared && (
        <p class="note">
          {own.is_hidden || own.hidden_by_ban
            ? "It is hidden: other members do not see it."
            : "It is off the shelf: only you see it."}
        </p>
      )}
      <p class="row">
        {own.is_shared ? (
          <button
            type="button"
            onClick={() => void attempt("Taken off the shelf.", () => member.hub.unpublish(own.id))}
          >
            Take it off the shelf
          </button>
        ) : (
          <button
            type="button"
            onClick={() =>
              void attempt(`Shared with ${organization.name} again.`, () => member.hub.republish(own.id))
            }
          >
            Share again
          </button>
        )}
        <button type="button" onClick={() => void publish()}>
          Publish for everybody
        </button>
      </p>
      {item && (
        <LazyShareDialog
          member={member}
          item={item.shared}
          others={item.others}
          audience=""
          onClose={() => {
            setItem(null);
            void load();
          }}
        />
      )}
    </>
  );
}

/** Offers the listing as a file. The browser makes the file, because the server has no address for a shared listing. */
function Downloads({ listing }: { listing: Listing }) {
  const [formats, setFormats] = useState<typeof import("@keyhub/core/formats") | null>(null);
  // The code that writes files is large, so it is loaded after the page is shown.
  useEffect(() => void import("@keyhub/core/formats").then(setFormats, sayNotLoaded), []);
  const requirements: readonly Requirement[] = formats?.requirementsOf(listing.payload) ?? [];
  const keyhub = async () => {
    const { fileOf } = await import("../store/listing-file.ts");
    const file = fileOf(listing);
    if (file) saveFile(file);
    else say("It cannot be written as a file.");
  };
  return (
    <>
      <Needs requirements={requirements} />
      <div>
        <dt>Download</dt>
        <dd class="downloads">
          <button type="button" onClick={() => void keyhub().catch(sayNotLoaded)}>
            Keyhub file
          </button>
          {formats?.writableFormats(listing).map(({ id, name }) => (
            <button
              key={id}
              type="button"
              onClick={() => {
                const file = formats.writeForeign(id, listing);
                if (file) saveFile(file);
              }}
            >
              {name}
            </button>
          ))}
        </dd>
      </div>
    </>
  );
}
