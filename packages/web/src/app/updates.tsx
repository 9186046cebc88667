import { type Hub, HubError, type ImportAnswer, type Update } from "@keyhub/hub/source";
import { say } from "../browser/message.ts";
import { showFailure } from "../browser/show-failure.ts";
import { type CopyOrigin, pathOfOrigin, type WorkspaceItem } from "./store/store.ts";

interface Props {
  hub: Hub;
  updates: Update[];
  /** The items of the workspace. Their origins have the shelf of each work, which the links to the works need. */
  items: readonly WorkspaceItem[];
  /** Runs after a change. */
  onChange: () => void;
}

type NewVersion = Extract<Update, { kind: "newer_version" }>;

/** Shows news about the works that the caller's copies come from. */
export function Updates({ hub, updates, items, onChange }: Props) {
  return (
    <section class="warning" aria-labelledby="updates">
      <h2 id="updates">News about your copies</h2>
      <ul class="news">
        {updates.map((update) => (
          <li key={`${update.id} ${update.kind}`}>
            <News
              hub={hub}
              update={update}
              origin={items.find(({ id }) => id === update.ref_id)?.origin ?? null}
              onChange={onChange}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface NewsProps extends Pick<Props, "hub" | "onChange"> {
  update: Update;
  /** The origin of the copy, from which the address of the work is made. */
  origin: CopyOrigin | null;
}

function News({ hub, update, origin, onChange }: NewsProps) {
  const { title } = update;
  switch (update.kind) {
    case "newer_version":
      return <NewVersionNews hub={hub} update={update} origin={origin} onChange={onChange} />;
    case "yanked":
      return (
        <>
          <bdi>{title}</bdi>: its creator has withdrawn version {update.source.version}
          {update.source.reason ? (
            <>
              : <q dir="auto">{update.source.reason}</q>
            </>
          ) : (
            "."
          )}{" "}
          <a href={pathOfOrigin(origin, { asset_type: update.asset_type, slug: update.source.slug })}>
            Version {update.source.current_version} is current.
          </a>
        </>
      );
    case "malicious_code":
      return (
        <>
          <bdi>{title}</bdi>: its source was taken off the hub for malicious code. Do not run it.
        </>
      );
    case "removed":
      return (
        <>
          <bdi>{title}</bdi>: its source was removed from the hub.
        </>
      );
    default:
      throw new Error(`unknown news: ${String(update satisfies never)}`);
  }
}

function NewVersionNews({ hub, update, origin, onChange }: NewsProps & { update: NewVersion }) {
  const { id, title, source } = update;
  const { version, current_version: current } = source;

  /** Runs an action, and shows a failure with a button to try again. */
  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      await showFailure(error, () => void attempt(work));
      return;
    }
    onChange();
  }

  /** Restores in each of these copies the content that the update has overwritten. Each item of a kit is a copy of its own. */
  const takeBack = (copies: string[]) =>
    attempt(async () => {
      // A retry begins with the copy that failed: restoring a copy a second time would also undo the update before the last one.
      for (let copy = copies[0]; copy !== undefined; copy = copies[0]) {
        try {
          await hub.restoreCopy(copy);
        } catch (error) {
          // An item that is new in the update has overwritten nothing.
          if (!(error instanceof HubError) || error.code !== "nothing_overwritten") throw error;
        }
        copies.shift();
      }
      say(`“${title}” is as it was, version ${version}.`);
    });

  const take = (overwrite: boolean) =>
    attempt(async () => {
      let updated: ImportAnswer;
      try {
        updated = await hub.updateCopy(source.id, id, { overwrite });
      } catch (error) {
        if (!(error instanceof HubError) || error.code !== "modified_copy") throw error;
        const { items = [] } = error.problem.more as { items?: { title: string }[] };
        const names = items.map((item) => `“${item.title}”`).join(", ");
        const question = `You have edited ${names}. Replace your changes? You can restore them for 30 days in the editor.`;
        if (!confirm(question)) return;
        updated = await hub.updateCopy(source.id, id, { overwrite: true });
      }
      const copies =
        updated.stored === "cloud" ? updated.created.flatMap((row) => row.hub_asset_id ?? []) : [];
      say(`“${title}” has version ${current} now.`, { text: "Undo", act: () => void takeBack(copies) });
    });

  const dismiss = () =>
    attempt(async () => {
      await hub.dismissUpdate(id, current);
      say(`You will get no more news about version ${current}.`);
    });

  const pin = () =>
    attempt(async () => {
      await hub.pin(id, version);
      say(`“${title}” stays with version ${version}.`, {
        text: "Follow again",
        act: () => void attempt(() => hub.pin(id, null)),
      });
    });

  const path = pathOfOrigin(origin, { asset_type: update.asset_type, slug: source.slug });
  const isShared = origin?.shelves[source.slug] !== undefined;
  return (
    <>
      <bdi>{title}</bdi> has version {version}; <a href={path}>version {current}</a>
      {source.label && (
        <>
          {" "}
          (<bdi>{source.label}</bdi>)
        </>
      )}{" "}
      is on the {isShared ? "shelf" : "hub"}.{" "}
      {!isShared && <a href={`${path}/versions?from=${version}&to=${current}`}>What changed</a>}
      {source.changelog && (
        <span class="changelog" dir="auto">
          {source.changelog}
        </span>
      )}
      <span class="row">
        <button type="button" class="primary" onClick={() => void take(false)}>
          Update my copy
        </button>
        <button type="button" onClick={() => void dismiss()}>
          Not this version
        </button>
        <button type="button" onClick={() => void pin()}>
          Stay with version {version}
        </button>
      </span>
    </>
  );
}
