import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { useRoute } from "preact-iso";
import { say } from "../../browser/message.ts";
import { showFailure } from "../../browser/show-failure.ts";
import { ASSET_TYPES, TYPE_NAMES } from "../../data/addresses.ts";
import { PipelineDrawing, readPipeline } from "../../parts/pipeline.tsx";
import { FailureNote } from "../failure-note.tsx";
import { PageError, type ShownFailure, shownFailureOf } from "../failure-text.ts";
import { OriginBadge } from "../origin-badge.tsx";
import { askToSignIn, PUBLISHING } from "../session.ts";
import { LazyShareDialog } from "../share/share-lazy.tsx";
import { Skeleton } from "../skeleton.tsx";
import {
  type CopyOrigin,
  isEdited as isContentEdited,
  type WorkspaceItem,
  withoutStaleSource,
} from "../store/store.ts";
import { useUnsaved } from "../use-unsaved.ts";
import { useViewer } from "../use-viewer.ts";
import { ConflictDialog } from "./conflict-dialog.tsx";
import { EditedField } from "./edited-field.tsx";
import { FIELDS, type Field, type FieldFault, readField } from "./fields.ts";
import { KitParts, partName, TEXT_OF } from "./kit-parts.tsx";
import { MissingItem } from "./missing-item.tsx";
import { StageForms } from "./stage-forms.tsx";
import type { Parts } from "./stages.ts";
import { describedBy, VariableRows } from "./variable-rows.tsx";
import { variableDescription, variablesOfPrompt } from "./variables.ts";

const NAME: Field = { key: "name", label: "Name", kind: "line", mustBe: "Write a name.", longest: 120 };

const FILE_IS_DROPPED =
  "This item keeps the file that it was read from. With this change the file is dropped, and the item can no longer be downloaded for that tool. Save anyway?";

/** `mine` is the item with the values typed in this form; `theirs` is the item that another tab or browser has stored since. */
interface Conflict {
  mine: WorkspaceItem;
  theirs: WorkspaceItem;
}

/** Shows one item to edit and to share. */
export default function Editor() {
  const { params } = useRoute();
  const viewer = useViewer();
  const [item, setItem] = useState<WorkspaceItem | null | "missing">(null);
  const [failure, setFailure] = useState<ShownFailure | null>(null);
  const [sharing, setSharing] = useState(false);
  const [others, setOthers] = useState<WorkspaceItem[]>([]);
  const [isEdited, setEdited] = useState(false);
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map());
  /** The values that the user has entered, by the name of the field. If a text cannot be parsed, the field keeps its earlier value. */
  const [typed, setTyped] = useState<Record<string, unknown>>({});
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const [round, setRound] = useState(0);
  const form = useRef<HTMLFormElement>(null);
  useUnsaved(isEdited);
  const type = ASSET_TYPES.find((one) => one === params.type);

  const load = useCallback(async () => {
    if (!viewer || !type) return;
    setFailure(null);
    try {
      setItem((await viewer.store.get(type, params.id ?? "")) ?? "missing");
    } catch (error) {
      const found = await shownFailureOf(error);
      // If trying again later cannot help, the item is shown as missing. For example, the server answers 400 to an id that is not a
      // UUID.
      if (found.canWait) setFailure(found);
      else setItem("missing");
    }
  }, [viewer, type, params.id]);
  useEffect(() => void load(), [load]);
  useEffect(() => {
    if (type !== "orchestration" || !viewer?.member) return;
    // If the list cannot be read, a stage cannot be linked to other items, but the editor still works.
    viewer.store.list().then(
      (items) => setOthers(items.filter(({ id }) => id !== params.id)),
      () => {},
    );
  }, [viewer, type, params.id]);

  if (!type || item === "missing") return <MissingItem viewer={viewer} id={params.id ?? ""} />;
  if (!item && failure) return <FailureNote failure={failure} onRetry={load} />;
  if (!item || !viewer) return <Skeleton />;

  /** Returns the item with the values of the form. If a value is wrong, focuses the first wrong field and returns null. */
  function check(): WorkspaceItem | null {
    if (!item || item === "missing" || !form.current) return null;
    const found = read(item, form.current);
    setFaults(
      new Map("faults" in found ? [...found.faults].map(([key, { message }]) => [key, message]) : []),
    );
    if (!("faults" in found)) return found;
    const [[key, { at }] = ["", {} as FieldFault]] = found.faults;
    const input = inputOf(form.current, key);
    // The selection must be set before the focus, because focusing scrolls to the selection.
    if (at !== undefined) input?.setSelectionRange(at, at);
    input?.focus();
    return null;
  }

  /** Unpins the copy, so that the user is told about newer versions again. */
  async function followAgain(origin: CopyOrigin | null): Promise<void> {
    if (!viewer?.member || !origin?.copyId) return;
    try {
      await viewer.member.hub.pin(origin.copyId, null);
      say("You will hear of newer versions again.");
      setItem((now) =>
        now && now !== "missing" && now.origin ? { ...now, origin: { ...now.origin, pinned: null } } : now,
      );
    } catch (error) {
      await showFailure(error);
    }
  }

  /**
   * Restores the content that the last update of the copy has overwritten. Saves the typed changes first: the hub then stores them as
   * overwritten content, so that the next restore brings them back.
   */
  async function takeBack(copyId: string): Promise<void> {
    if (!viewer?.member || (isEdited && !(await save()))) return;
    try {
      const { version } = await viewer.member.hub.restoreCopy(copyId);
      await load();
      setTyped({});
      setRound((n) => n + 1);
      say(`This is the item as it was before the update, of version ${version}.`);
    } catch (error) {
      await showFailure(error);
    }
  }

  /** Reacts to an edit of one field. The message about a fault changes with the text, and disappears when the text is corrected. */
  function follow({ target }: Event): void {
    const { name: key } = target as HTMLInputElement;
    const field = type && [NAME, ...FIELDS[type]].find((one) => one.key === key);
    if (!field || !form.current) return;
    const found = readField(field, typedIn(form.current, key));
    if ("value" in found) setTyped((before) => ({ ...before, [key]: found.value }));
    if (!faults.has(key)) return;
    const shown = new Map(faults);
    if ("fault" in found) shown.set(key, found.fault.message);
    else shown.delete(key);
    setFaults(shown);
  }

  /** Writes the changes of a stage's form into the JSON fields of the editor, because only these fields are saved. */
  function change(parts: Parts): void {
    for (const [key, value] of Object.entries(parts)) {
      const input = form.current && inputOf(form.current, key);
      if (input) input.value = JSON.stringify(value, null, 2);
    }
    setTyped((before) => ({ ...before, ...parts }));
    setEdited(true);
  }

  /** Saves the form; returns whether it is stored. */
  async function save(): Promise<boolean> {
    setFailure(null);
    const changed = check();
    if (!viewer || !changed || !item || item === "missing") return false;
    const isStale = item.payload.source_text !== undefined && isContentEdited(item.payload, changed.payload);
    if (isStale && !confirm(FILE_IS_DROPPED)) return false;
    try {
      const saved = await viewer.store.save(changed);
      if (saved === "gone") throw new PageError("This item was deleted meanwhile.");
      if (saved === "changed elsewhere") {
        const theirs = await viewer.store.get(changed.type, changed.id);
        if (!theirs) throw new PageError("This item was deleted meanwhile.");
        setConflict({ mine: changed, theirs });
        return false;
      }
      setItem(saved);
      setEdited(false);
      say("Saved.");
      if (type === "component") void sayFault(String(saved.payload.source ?? ""));
      return true;
    } catch (error) {
      setFailure(await shownFailureOf(error));
      return false;
    }
  }

  /** Applies the user's choice about an item that was changed elsewhere. A failure leaves the typed text as it is. */
  async function settle({ mine, theirs }: Conflict, choice: "mine" | "both" | "theirs"): Promise<void> {
    if (!viewer) return;
    setConflict(null);
    try {
      if (choice === "both") {
        const name = `${[...mine.name].slice(0, 110).join("")} (mine)`;
        const id = await viewer.store.create(mine.type, name, mine.payload);
        setEdited(false);
        // Leave the page in the next tick: until then, the page asks whether to leave without saving.
        setTimeout(() => location.assign(`/workspace/${mine.type}/${id}`));
        return;
      }
      const { version: _, ...anyVersion } = mine;
      const settled = choice === "mine" ? await viewer.store.save(anyVersion) : theirs;
      if (settled === "gone" || settled === "changed elsewhere")
        throw new PageError("This item was deleted meanwhile.");
      setItem(settled);
      setEdited(false);
      setTyped({});
      // A new `round` makes Preact create the form again, because otherwise its fields would keep the typed text.
      if (choice === "theirs") setRound((n) => n + 1);
      say(choice === "mine" ? "Saved." : "This is the version from the other tab or browser.");
    } catch (error) {
      setFailure(await shownFailureOf(error));
    }
  }

  /** Opens the dialog for sharing. For a pipeline, first reads the items to include. If that fails, sharing works without them. */
  async function share(): Promise<void> {
    // The stored item is shared, so save first.
    if (isEdited ? !(await save()) : !check()) return;
    if (!viewer?.member) return askToSignIn(PUBLISHING, "/hub");
    if (type === "orchestration") {
      const items = await viewer.store.list().catch(() => []);
      setOthers(items.filter(({ id }) => id !== params.id));
    }
    setSharing(true);
  }

  const updatable = item.origin && item.origin.slug !== null ? item.origin.copyId : null;
  return (
    <section>
      <p class="kind">
        <a href="/workspace">Workspace</a> / {TYPE_NAMES[type].one}
      </p>
      <h1 dir="auto">{item.name}</h1>
      {item.origin && (
        <p class="row">
          <OriginBadge origin={item.origin} type={item.type} />
          {item.origin.pinned !== null && (
            <>
              <span class="quiet">stays with version {item.origin.pinned}</span>
              <button type="button" onClick={() => void followAgain(item.origin)}>
                Follow again
              </button>
            </>
          )}
          {updatable !== null && (
            <button type="button" onClick={() => void takeBack(updatable)}>
              Take back the last update
            </button>
          )}
        </p>
      )}
      <form
        key={round}
        class="stack"
        ref={form}
        noValidate
        onInput={(event) => {
          setEdited(true);
          follow(event);
        }}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <EditedField field={NAME} value={item.name} fault={faults.get("name")} />
        {type === "orchestration" && (
          <section class="scroll" tabIndex={0} aria-label="Diagram of the pipeline">
            <PipelineDrawing
              pipeline={readPipeline({ ...item.payload, ...typed })}
              id="editor"
              title={`Pipeline of ${item.name}`}
            />
          </section>
        )}
        {type === "orchestration" && item.payload.source_text === undefined && (
          <StageForms
            payload={{ ...item.payload, ...typed }}
            items={viewer.member ? others : []}
            onChange={change}
          />
        )}
        {FIELDS[type].map((field) => (
          <EditedField
            key={field.key}
            field={field}
            value={item.payload[field.key]}
            fault={faults.get(field.key)}
          />
        ))}
        {type === "template" && (
          <VariableRows
            content={String(typed.content ?? item.payload.content ?? "")}
            payload={item.payload}
          />
        )}
        {item.document && item.document.items.length > 0 && <KitParts parts={item.document.items} />}
        {item.payload.source_text !== undefined && (
          <p class="note">
            This item keeps the file that it was read from ({String(item.payload.source_format)}). Changing
            more than its name drops the file.
          </p>
        )}
        <FailureNote failure={failure} />
        <p class="row">
          <button class="primary" type="submit">
            Save
          </button>
          <button type="button" onClick={() => void share()}>
            Share
          </button>
        </p>
      </form>
      {conflict && (
        <ConflictDialog
          {...conflict}
          onOverwrite={() => void settle(conflict, "mine")}
          onKeepBoth={() => void settle(conflict, "both")}
          onTakeTheirs={() => void settle(conflict, "theirs")}
          onClose={() => setConflict(null)}
        />
      )}
      {sharing && viewer.member && (
        <LazyShareDialog
          member={viewer.member}
          item={item}
          others={others}
          onClose={() => setSharing(false)}
        />
      )}
    </section>
  );
}

/** Returns the item with the values of the form, or the faults by field. */
function read(
  item: WorkspaceItem,
  form: HTMLFormElement,
): WorkspaceItem | { faults: Map<string, FieldFault> } {
  const payload = { ...item.payload };
  const faults = new Map<string, FieldFault>();
  const typedValue = (field: Field): unknown => {
    const input = inputOf(form, field.key);
    // An unedited field keeps its stored value, because the form could refuse an imported list or change the line ends of a file.
    const stored = payload[field.key];
    if (input && isUntouched(input) && (field.needs || (field.kind === "text" && typeof stored === "string")))
      return stored;
    const found = readField(field, typedIn(form, field.key));
    if ("value" in found) return found.value;
    faults.set(field.key, found.fault);
    return null;
  };
  const name = String(typedValue(NAME));
  for (const field of FIELDS[item.type]) payload[field.key] = typedValue(field);
  if (faults.size > 0) return { faults };
  if (item.type === "template")
    payload.variables = variablesOfPrompt(String(payload.content), item.payload, (variable) =>
      typedIn(form, describedBy(variable)).trim(),
    );
  return { ...item, name, payload, document: withTypedParts(item.document, form) };
}

/** Returns the document with the texts that were typed for the parts of a kit; null for an item in the account. */
function withTypedParts(
  document: WorkspaceItem["document"],
  form: HTMLFormElement,
): WorkspaceItem["document"] {
  if (!document) return null;
  const items = document.items.map((part, place) => {
    const member = TEXT_OF[part.asset_type];
    const input = inputOf(form, partName(place));
    if (!member || !input || isUntouched(input)) return part;
    const payload: Record<string, unknown> = { ...part.payload, [member]: input.value };
    if (part.asset_type === "template")
      payload.variables = variablesOfPrompt(input.value, part.payload, (variable) =>
        variableDescription(variable, part.payload),
      );
    return { ...part, payload: withoutStaleSource(part.payload, payload) };
  });
  return { ...document, items };
}

/** Returns whether the user has not edited the field. Browsers change line ends to \n, so the default value is changed in the same way. */
const isUntouched = ({ value, defaultValue }: HTMLInputElement | HTMLTextAreaElement) =>
  value === defaultValue.replace(/\r\n?/g, "\n");

/** Returns the text of a field. A number that the browser cannot parse has an empty `value`, so "?" is returned, which is not valid. */
function typedIn(form: HTMLFormElement, name: string): string {
  const input = inputOf(form, name);
  return input?.validity.badInput ? "?" : (input?.value ?? "");
}

function inputOf(form: HTMLFormElement, name: string): HTMLInputElement | HTMLTextAreaElement | null {
  return form.elements.namedItem(name) as HTMLInputElement | HTMLTextAreaElement | null;
}

/**
 * Tells the user where the source of a component does not compile. The source is saved in any case: the user may stop in the middle of a
 * line.
 */
async function sayFault(source: string): Promise<void> {
  const { compile, FaultySource } = await import("../../browser/compile.ts");
  try {
    await compile(source);
  } catch (error) {
    if (error instanceof FaultySource) say(`This source does not compile: ${error.message}`);
  }
}
