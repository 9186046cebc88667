import type { AssetType } from "@keyhub/hub/source";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { TYPE_NAMES } from "../data/addresses.ts";
import { PipelineDrawing, readPipeline } from "../parts/pipeline.tsx";
import { FailureNote } from "./failure-note.tsx";
import { type ShownFailure, shownFailureOf } from "./failure-text.ts";
import { askToSignIn, PUBLISHING } from "./session.ts";
import { LazyShareDialog } from "./share/share-lazy.tsx";
import { Skeleton } from "./skeleton.tsx";
import type { WorkspaceItem } from "./store/store.ts";
import { useViewer } from "./use-viewer.ts";
import { WorkspaceNav } from "./workspace-nav.tsx";

/** The largest number of items in a kit that hub-publish accepts. */
const MOST = 50;

/** For each type of item, the member of a stage that holds the item's id. A stage cannot link to a pipeline, so that type is missing. */
const LINKS: Partial<Record<AssetType, string>> = {
  template: "prompt_template_id",
  component: "component_id",
  ai_preset: "ai_model_setting_id",
};

/** Builds a starter kit: the user picks items, orders them, checks the kit and shares it. */
export default function Kit() {
  const viewer = useViewer();
  const [items, setItems] = useState<WorkspaceItem[] | null>(null);
  const [chosen, setChosen] = useState<readonly WorkspaceItem[]>([]);
  const [failure, setFailure] = useState<ShownFailure | null>(null);
  const [shared, setShared] = useState<WorkspaceItem | null>(null);
  const name = useRef<HTMLInputElement>(null);
  const isBusy = useRef(false);

  const load = useCallback(async () => {
    if (!viewer) return;
    setFailure(null);
    try {
      setItems(await viewer.store.list());
    } catch (error) {
      setFailure(await shownFailureOf(error));
    }
  }, [viewer]);
  useEffect(() => void load(), [load]);

  const move = (place: number, by: -1 | 1) =>
    setChosen((before) => {
      const after = [...before];
      const [one] = after.splice(place, 1);
      if (one) after.splice(place + by, 0, one);
      return after;
    });

  async function make(): Promise<void> {
    if (!viewer?.member) return askToSignIn(PUBLISHING, "/workspace/kit");
    // While one call is running, further clicks are ignored, so that a double click makes only one kit.
    if (isBusy.current) return;
    isBusy.current = true;
    setFailure(null);
    try {
      const title = name.current?.value.trim() || "My starter kit";
      const id = await viewer.store.create("orchestration", title, payloadOf(chosen));
      setShared(await viewer.store.get("orchestration", id));
    } catch (error) {
      setFailure(await shownFailureOf(error));
    } finally {
      isBusy.current = false;
    }
  }

  const left = (items ?? []).filter(({ id }) => !chosen.some((one) => one.id === id));
  return (
    <>
      <WorkspaceNav at="items" />
      <h1>Build a starter kit</h1>
      <p class="quiet">
        A kit is a pipeline together with its items. Everybody who imports it gets all of them, linked to each
        other.
      </p>
      <FailureNote failure={failure} onRetry={load} />
      {items === null && !failure && <Skeleton />}
      {items !== null && (
        <>
          <label class="field">
            <span>Name</span>
            <input ref={name} maxLength={120} placeholder="My starter kit" dir="auto" />
          </label>
          <section class="below" aria-labelledby="in-kit">
            <h2 id="in-kit">In the kit</h2>
            {chosen.length > 0 && (
              <section class="scroll" tabIndex={0} aria-label="Diagram of the kit">
                <PipelineDrawing pipeline={readPipeline(payloadOf(chosen))} id="kit" title="The kit" />
              </section>
            )}
            {chosen.length === 0 && <p class="quiet">Nothing yet: add items from the list below.</p>}
            <ol class="shelf">
              {chosen.map((item, place) => (
                <Row key={item.id} item={item}>
                  <button
                    type="button"
                    disabled={place === 0}
                    onClick={() => move(place, -1)}
                    aria-label={`Move ${item.name} up`}
                  >
                    Up
                  </button>
                  <button
                    type="button"
                    disabled={place === chosen.length - 1}
                    onClick={() => move(place, 1)}
                    aria-label={`Move ${item.name} down`}
                  >
                    Down
                  </button>
                  <button
                    type="button"
                    onClick={() => setChosen(chosen.filter(({ id }) => id !== item.id))}
                    aria-label={`Remove ${item.name}`}
                  >
                    Remove
                  </button>
                </Row>
              ))}
            </ol>
            <p>
              <button
                class="primary"
                type="button"
                disabled={chosen.length === 0}
                onClick={() => void make()}
              >
                Share the kit
              </button>
            </p>
          </section>
          <section aria-labelledby="to-add">
            <h2 id="to-add">Your items</h2>
            <ul class="shelf">
              {left.map((item) => (
                <Row key={item.id} item={item}>
                  <button
                    type="button"
                    disabled={chosen.length >= MOST}
                    onClick={() => setChosen([...chosen, item])}
                    aria-label={`Add ${item.name}`}
                  >
                    Add
                  </button>
                </Row>
              ))}
              {left.length === 0 && <li class="quiet">No further items.</li>}
            </ul>
          </section>
        </>
      )}
      {shared && viewer?.member && (
        <LazyShareDialog
          member={viewer.member}
          item={shared}
          others={[...chosen]}
          chosen={chosen.map(({ id }) => id)}
          onClose={() => location.assign(`/workspace/orchestration/${shared.id}`)}
        />
      )}
    </>
  );
}

interface RowProps {
  item: WorkspaceItem;
  children: preact.ComponentChildren;
}

function Row({ item, children }: RowProps) {
  return (
    <li class={item.type}>
      <span>
        <bdi>{item.name}</bdi> <span class="quiet">{TYPE_NAMES[item.type].one}</span>
      </span>
      <span class="row">{children}</span>
    </li>
  );
}

/** Returns a pipeline with one stage for each item, in their order. */
function payloadOf(chosen: readonly WorkspaceItem[]): Record<string, unknown> {
  const stages = chosen.map((item, n) => ({ item, id: `stage-${n + 1}` }));
  return {
    nodes: stages.map(({ item, id }, n) => ({
      ...{ id, type: "stage", position: { x: n * 240, y: 0 }, data: { label: item.name } },
    })),
    edges: stages.slice(1).map(({ id }, n) => ({
      ...{ id: `edge-${n + 1}`, source: stages[n]?.id ?? "", target: id },
    })),
    stage_configs: stages.map(({ item, id }) => {
      const link = LINKS[item.type];
      return {
        id: `${id}-settings`,
        node_id: id,
        name: item.name,
        ...(link && { [link]: item.id }),
        settings: {},
      };
    }),
  };
}
