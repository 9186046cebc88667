import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { useRoute } from "preact-iso";
import type { AssetType } from "../../../hub/src/index.ts";
import { say } from "../browser/message.ts";
import { ASSET_TYPES, TYPE_NAMES } from "../data/addresses.ts";
import { PipelineDrawing, readPipeline } from "../parts/pipeline.tsx";
import { MissingItem } from "./missing-item.tsx";
import { Saying, type Trouble, troubleOf } from "./problem-words.ts";
import { askToSignIn, PUBLISHING } from "./session.ts";
import { ShareDialog } from "./share.tsx";
import type { ShelfItem } from "./shelf.ts";
import { Skeleton } from "./skeleton.tsx";
import { TroubleNote } from "./trouble-note.tsx";
import { useUnsaved } from "./use-unsaved.ts";
import { useViewer } from "./use-viewer.ts";

interface Field {
  key: string;
  label: string;
  kind: "text" | "number" | "line" | "json";
}

/** The members of each type's payload, as they are edited. */
const FIELDS: Record<AssetType, Field[]> = {
  template: [
    { key: "content", label: "Prompt, with {{variables}}", kind: "text" },
    { key: "variables", label: "Variables (JSON)", kind: "json" },
  ],
  component: [
    { key: "source", label: "Source (TSX)", kind: "text" },
    { key: "props_schema", label: "Props (JSON Schema)", kind: "json" },
  ],
  orchestration: [
    { key: "nodes", label: "Nodes (JSON)", kind: "json" },
    { key: "edges", label: "Edges (JSON)", kind: "json" },
    { key: "stage_configs", label: "Stages (JSON)", kind: "json" },
  ],
  ai_preset: [
    { key: "model_id", label: "Model", kind: "line" },
    { key: "temperature", label: "Temperature", kind: "number" },
    { key: "topP", label: "Top P", kind: "number" },
    { key: "topK", label: "Top K", kind: "number" },
    { key: "maxOutputTokens", label: "Longest answer, tokens", kind: "number" },
    { key: "thinkingLevel", label: "Thinking level", kind: "line" },
    { key: "thinkingBudget", label: "Thinking budget, tokens", kind: "number" },
    { key: "generate_content_api", label: "API", kind: "line" },
  ],
};

/** One item, to change and to share. */
export default function Editor() {
  const { params } = useRoute();
  const viewer = useViewer();
  const [item, setItem] = useState<ShelfItem | null | "missing">(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [sharing, setSharing] = useState(false);
  const [others, setOthers] = useState<ShelfItem[]>([]);
  const [isEdited, setEdited] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useUnsaved(isEdited);
  const type = ASSET_TYPES.find((one) => one === params.type);

  const load = useCallback(async () => {
    if (!viewer || !type) return;
    setTrouble(null);
    try {
      setItem((await viewer.shelf.get(type, params.id ?? "")) ?? "missing");
    } catch (error) {
      const found = await troubleOf(error);
      // An id that cannot be one is refused with 400.
      if (found.canWait) setTrouble(found);
      else setItem("missing");
    }
  }, [viewer, type, params.id]);
  useEffect(() => void load(), [load]);

  if (!type || item === "missing") return <MissingItem viewer={viewer} id={params.id ?? ""} />;
  if (!item && trouble) return <TroubleNote trouble={trouble} onRetry={load} />;
  if (!item || !viewer) return <Skeleton />;

  /** Whether what the form holds is stored. */
  async function save(): Promise<boolean> {
    if (!viewer || !type || !item || item === "missing" || !form.current) return false;
    setTrouble(null);
    try {
      const changed = read(item, new FormData(form.current));
      if (!(await viewer.shelf.save(changed))) throw new Saying("This item was deleted meanwhile.");
      setItem(changed);
      setEdited(false);
      say("Saved.");
      return true;
    } catch (error) {
      setTrouble(await troubleOf(error));
      return false;
    }
  }

  /** A pipeline may take further items along; a list that cannot be read must not keep it from being shared. */
  async function share(): Promise<void> {
    // What is shared is what is stored.
    if (isEdited && (!form.current?.reportValidity() || !(await save()))) return;
    if (!viewer?.member) return askToSignIn(PUBLISHING, "/hub");
    if (type === "orchestration") {
      const items = await viewer.shelf.list().catch(() => []);
      setOthers(items.filter(({ id }) => id !== params.id));
    }
    setSharing(true);
  }

  return (
    <section>
      <p class="kind">
        <a href="/workspace">Workspace</a> / {TYPE_NAMES[type].one}
      </p>
      <h1 dir="auto">{item.name}</h1>
      <form
        class="stack"
        ref={form}
        onInput={() => setEdited(true)}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <label class="field">
          <span>Name</span>
          <input name="name" defaultValue={item.name} required maxLength={120} dir="auto" />
        </label>
        {type === "orchestration" && (
          <section class="scroll" tabIndex={0} aria-label="Diagram of the pipeline">
            <PipelineDrawing
              pipeline={readPipeline(item.payload)}
              id="editor"
              title={`Pipeline of ${item.name}`}
            />
          </section>
        )}
        {FIELDS[type].map((field) => (
          <Edited key={field.key} field={field} value={item.payload[field.key]} />
        ))}
        <TroubleNote trouble={trouble} />
        <p class="row">
          <button class="primary" type="submit">
            Save
          </button>
          <button type="button" onClick={() => void share()}>
            Share
          </button>
        </p>
      </form>
      {sharing && viewer.member && (
        <ShareDialog member={viewer.member} item={item} others={others} onClose={() => setSharing(false)} />
      )}
    </section>
  );
}

/** Not controlled: a page that is drawn again keeps what was typed. */
function Edited({ field: { key, label, kind }, value }: { field: Field; value: unknown }) {
  const text =
    value === null || value === undefined
      ? ""
      : kind === "json"
        ? JSON.stringify(value, null, 2)
        : String(value);
  const id = `field-${key}`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {kind === "line" || kind === "number" ? (
        <input
          id={id}
          name={key}
          defaultValue={text}
          {...(kind === "number" ? { inputMode: "decimal" as const } : {})}
        />
      ) : (
        <textarea
          id={id}
          name={key}
          rows={kind === "text" ? 14 : 8}
          spellcheck={kind === "text"}
          dir="auto"
          defaultValue={text}
        />
      )}
    </div>
  );
}

/** The item with what the form holds. */
function read(item: ShelfItem, form: FormData): ShelfItem {
  const payload = { ...item.payload };
  for (const { key, label, kind } of FIELDS[item.type]) {
    const text = String(form.get(key) ?? "");
    if (kind === "text") payload[key] = text;
    else if (text.trim() === "") payload[key] = kind === "json" ? [] : null;
    else if (kind === "line") payload[key] = text.trim();
    else if (kind === "number") {
      const number = Number(text);
      if (!Number.isFinite(number)) throw new Saying(`${label} is no number.`);
      payload[key] = number;
    } else {
      try {
        payload[key] = JSON.parse(text);
      } catch (error) {
        throw new Saying(`${label} cannot be read: ${error instanceof Error ? error.message : error}.`);
      }
    }
  }
  return { ...item, name: String(form.get("name")).trim(), payload };
}
