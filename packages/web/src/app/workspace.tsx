import type { AssetType, Update } from "@keyhub/hub/source";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { say } from "../browser/message.ts";
import { showFailure } from "../browser/show-failure.ts";
import { ASSET_TYPES, TYPE_NAMES } from "../data/addresses.ts";
import { Icon } from "../parts/icon.tsx";
import { FailureNote } from "./failure-note.tsx";
import { type ShownFailure, shownFailureOf } from "./failure-text.ts";
import { ImportFiles } from "./import/import-files.tsx";
import { OriginBadge } from "./origin-badge.tsx";
import { askToSignIn, loginPath, PUBLISHING, type SignedIn } from "./session.ts";
import { LazyShareDialog } from "./share/share-lazy.tsx";
import { Skeleton } from "./skeleton.tsx";
import { exportAs, exportFile } from "./store/export.ts";
import { liteItems } from "./store/lite.ts";
import { moveItemsToAccount, type WorkspaceItem } from "./store/store.ts";
import { Updates } from "./updates.tsx";
import { useViewer } from "./use-viewer.ts";
import { WorkspaceNav } from "./workspace-nav.tsx";

/** Returns the name of a type for the middle of a sentence, in lower case except for “AI”. */
const lowered = (type: AssetType) =>
  type === "ai_preset" ? "AI preset" : TYPE_NAMES[type].one.toLowerCase();

/** The first content of a new item of each type. */
const BLANK: Record<AssetType, Record<string, unknown>> = {
  template: { content: "Summarize {{text}} in three sentences.", variables: [{ name: "text" }] },
  component: {
    source: "export default function Greeting({ name }) {\n  return <p>Hello, {name}!</p>;\n}\n",
    props_schema: { type: "object", properties: { name: { type: "string" } } },
  },
  orchestration: {
    nodes: [
      { id: "draft", type: "stage", position: { x: 0, y: 0 }, data: { label: "Draft" } },
      { id: "review", type: "stage", position: { x: 240, y: 0 }, data: { label: "Review" } },
    ],
    edges: [{ id: "draft-review", source: "draft", target: "review" }],
    stage_configs: [
      { id: "draft-stage", node_id: "draft", name: "Draft", settings: {} },
      { id: "review-stage", node_id: "review", name: "Review", settings: {} },
    ],
  },
  ai_preset: { model_id: "gpt-5-mini", temperature: 0.2 },
};

/** Shows the caller's own items of the four types, from the account or from this browser. */
export default function Workspace() {
  const viewer = useViewer();
  const [items, setItems] = useState<WorkspaceItem[] | null>(null);
  const [updates, setUpdates] = useState<Update[]>([]);
  const [failure, setFailure] = useState<ShownFailure | null>(null);
  /** The number of items that could not be moved from this browser into the member's account. */
  const [left, setLeft] = useState(0);
  const [shared, setShared] = useState<WorkspaceItem | null>(null);
  /** The name of the organization in which an item is shared, by the item's id. */
  const [shelves, setShelves] = useState<ReadonlyMap<string, string>>(new Map());
  const creating = useRef(false);

  const load = useCallback(async () => {
    if (!viewer) return;
    setFailure(null);
    try {
      setItems(await viewer.store.list());
      setUpdates(viewer.member ? await viewer.member.hub.updates() : []);
      if (!viewer.member) return;
      setShelves(await shelvesOf(viewer.member));
      // Move the items that were not moved at sign-in.
      if ((await moveItemsToAccount(viewer.member.hub)) > 0) setItems(await viewer.store.list());
      setLeft((await liteItems().catch(() => [])).length);
    } catch (error) {
      setFailure(await shownFailureOf(error));
    }
  }, [viewer]);
  useEffect(() => void load(), [load]);

  /** Runs an action and shows the result. If `twice` is true, repeating it is safe, so a failure has a button to try again. */
  async function attempt(work: () => Promise<string | undefined>, twice = false): Promise<void> {
    try {
      const message = await work();
      if (message) say(message);
    } catch (error) {
      await showFailure(error, twice ? () => void attempt(work, twice) : undefined);
      return;
    }
    await load();
  }

  const create = (type: AssetType) =>
    attempt(async () => {
      // Further clicks within two seconds are ignored, so that a double click makes only one item.
      if (creating.current) return undefined;
      creating.current = true;
      setTimeout(() => {
        creating.current = false;
      }, 2_000);
      const id = await viewer?.store.create(type, `New ${lowered(type)}`, BLANK[type]);
      location.assign(`/workspace/${type}/${id}`);
      return undefined;
    });

  const [formats, setFormats] = useState<typeof import("@keyhub/core/formats") | null>(null);
  // The code that reads and writes files is large, so it is loaded after the list is shown.
  useEffect(() => void import("@keyhub/core/formats").then(setFormats), []);

  return (
    <>
      <WorkspaceNav at="items" />
      <h1>Workspace</h1>
      {viewer && <ImportFiles store={viewer.store} onDone={() => void load()} />}
      {viewer && !viewer.member && (
        <p class="note">
          These items are in this browser only. <a href={loginPath("/workspace")}>Sign in</a> to have them
          everywhere and to publish; they move with you.
        </p>
      )}
      {left > 0 && (
        <p class="note">
          {left === 1 ? "One item is" : `${left} items are`} still in this browser only and could not be moved
          into your account. It is tried again whenever you open this page.
        </p>
      )}
      <FailureNote failure={failure} onRetry={load} />
      {updates.length > 0 && viewer?.member && (
        <Updates hub={viewer.member.hub} updates={updates} items={items ?? []} onChange={load} />
      )}
      {items === null && !failure && <Skeleton />}
      {items !== null &&
        ASSET_TYPES.map((type) => (
          <section key={type} aria-labelledby={type}>
            <div class="row spread">
              <h2 id={type}>{TYPE_NAMES[type].many}</h2>
              <button type="button" onClick={() => void create(type)}>
                New {lowered(type)}
              </button>
            </div>
            {type === "orchestration" && (
              <p class="quiet">
                <a href="/workspace/kit">Build a starter kit</a> of items of this page.
              </p>
            )}
            <ul class="shelf">
              {items
                .filter((item) => item.type === type)
                .map((item) => (
                  <li key={item.id} class={type}>
                    <a href={`/workspace/${type}/${item.id}`} dir="auto">
                      {item.name}
                    </a>
                    <OriginBadge origin={item.origin} type={type} />
                    <SharedIn name={shelves.get(item.id)} />
                    <span class="row">
                      <button
                        type="button"
                        onClick={() => (viewer?.member ? setShared(item) : askToSignIn(PUBLISHING, "/hub"))}
                        aria-label={`Share ${item.name}`}
                      >
                        Share
                      </button>
                      <button
                        type="button"
                        onClick={() => void attempt(() => exportFile(item), true)}
                        aria-label={`Export ${item.name}`}
                      >
                        Export
                      </button>
                      {formats && (
                        <DownloadAs
                          formats={formats.writableFormats(asAsset(item))}
                          name={item.name}
                          onChoose={(format) => void attempt(() => exportAs(format, item), true)}
                        />
                      )}
                      <button
                        type="button"
                        aria-label={`Delete ${item.name}`}
                        onClick={() => {
                          if (!confirm(`Delete “${item.name}”? A listing on the hub stays.`)) return;
                          void attempt(async () => {
                            await viewer?.store.remove(item);
                            return "Deleted.";
                          }, true);
                        }}
                      >
                        Delete
                      </button>
                    </span>
                  </li>
                ))}
              {!items.some((item) => item.type === type) && <li class="quiet">None yet.</li>}
            </ul>
          </section>
        ))}
      {shared && viewer?.member && (
        <LazyShareDialog
          member={viewer.member}
          item={shared}
          others={(items ?? []).filter(({ id }) => id !== shared.id)}
          onClose={() => setShared(null)}
        />
      )}
    </>
  );
}

/** Shows that an item is on a shelf. */
function SharedIn({ name }: { name: string | undefined }) {
  if (name === undefined) return null;
  return (
    <span class="badge">
      <Icon name="people" />
      <span>
        shared in <bdi>{name}</bdi>
      </span>
    </span>
  );
}

/** Returns the names of the organizations in which the caller's items are shared, by the item's id. */
async function shelvesOf({ id, hub }: SignedIn): Promise<Map<string, string>> {
  const [listings, organizations] = await Promise.all([hub.ownListings(id), hub.organizations.mine()]);
  const names = new Map(organizations.map((one) => [one.id, one.name]));
  return new Map(
    listings.flatMap(({ ref_id, is_shared, organization_id }) => {
      const name = is_shared && names.get(organization_id ?? "");
      return name ? [[ref_id, name]] : [];
    }),
  );
}

const asAsset = ({ type, payload }: WorkspaceItem) => ({ asset_type: type, payload });

interface DownloadProps {
  formats: readonly { id: string; name: string }[];
  /** The name of the item. */
  name: string;
  onChoose: (format: string) => void;
}

/** Offers the formats of other tools in which an item can be downloaded. */
function DownloadAs({ formats, name, onChoose }: DownloadProps) {
  if (formats.length === 0) return null;
  return (
    <select
      aria-label={`Download ${name} as`}
      value=""
      onChange={({ currentTarget }) => {
        const { value } = currentTarget;
        currentTarget.value = "";
        if (value) onChoose(value);
      }}
    >
      <option value="">Download as…</option>
      {formats.map(({ id, name: format }) => (
        <option key={id} value={id}>
          {format}
        </option>
      ))}
    </select>
  );
}
