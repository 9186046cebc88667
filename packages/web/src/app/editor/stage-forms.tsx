import { useState } from "preact/hooks";
import { TYPE_NAMES } from "../../data/addresses.ts";
import type { WorkspaceItem } from "../store/store.ts";
import {
  addStage,
  connectStages,
  linkStage,
  type Parts,
  removeStage,
  renameStage,
  STAGE_LINKS,
  type Stage,
  stagesOf,
} from "./stages.ts";

interface Props {
  payload: Readonly<Record<string, unknown>>;
  /** The items that a stage may be linked to; empty for a guest, whose items have no lasting ids. */
  items: readonly WorkspaceItem[];
  onChange: (parts: Parts) => void;
}

interface StageProps extends Props {
  stage: Stage;
  stages: readonly Stage[];
}

/** Shows a form for each stage of a pipeline. The JSON fields below the forms have the same content. */
export function StageForms({ payload, items, onChange }: Props) {
  const stages = stagesOf(payload);
  return (
    <section aria-labelledby="stages">
      <h2 id="stages">Stages</h2>
      {stages.map((stage) => (
        <StageForm
          key={stage.id}
          stage={stage}
          stages={stages}
          payload={payload}
          items={items}
          onChange={onChange}
        />
      ))}
      <p>
        <button type="button" onClick={() => onChange(addStage(payload))}>
          Add a stage
        </button>
      </p>
    </section>
  );
}

/** Renders the form only when it is opened: each form lists all other stages, which makes a million entries for a thousand stages. */
function StageForm(props: StageProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="item" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary dir="auto">{props.stage.name}</summary>
      {isOpen && <StageFields {...props} />}
    </details>
  );
}

function StageFields({ stage, stages, payload, items, onChange }: StageProps) {
  const { id, name, label, links, next } = stage;
  return (
    <div class="stack">
      <label class="field">
        <span>Name of the stage</span>
        <input
          value={label}
          placeholder={id}
          maxLength={120}
          dir="auto"
          onInput={({ currentTarget }) => onChange(renameStage(payload, id, currentTarget.value))}
        />
      </label>
      {Object.entries(STAGE_LINKS).map(([type, link]) => {
        const own = items.filter((item) => item.type === type);
        const linked = links[link];
        if (own.length === 0 && linked === undefined) return null;
        return (
          <label key={link} class="field">
            <span>{TYPE_NAMES[type as keyof typeof STAGE_LINKS].one}</span>
            <select
              value={linked ?? ""}
              onChange={({ currentTarget }) =>
                onChange(linkStage(payload, id, link, currentTarget.value || null))
              }
            >
              <option value="">None</option>
              {linked !== undefined && !own.some((item) => item.id === linked) && (
                <option value={linked}>An item that is not here</option>
              )}
              {own.map((item) => (
                <option key={item.id} value={item.id}>
                  {item.name}
                </option>
              ))}
            </select>
          </label>
        );
      })}
      {stages.length > 1 && (
        <fieldset class="kit">
          <legend>Leads to</legend>
          {stages
            .filter((other) => other.id !== id)
            .map((other) => (
              <label key={other.id} class="choice">
                <input
                  type="checkbox"
                  checked={next.includes(other.id)}
                  onChange={({ currentTarget }) =>
                    onChange(connectStages(payload, id, other.id, currentTarget.checked))
                  }
                />
                <span dir="auto">{other.name}</span>
              </label>
            ))}
        </fieldset>
      )}
      <p>
        <button
          type="button"
          onClick={() => onChange(removeStage(payload, id))}
          aria-label={`Remove ${name}`}
        >
          Remove
        </button>
      </p>
    </div>
  );
}
