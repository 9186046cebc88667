import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../../parts/icon.tsx";
import { failureText } from "../failure-text.ts";
import type { Imported, WorkspaceStore } from "../store/store.ts";
import { type TextFile, textFilesOf } from "./text-files.ts";

interface Result {
  name: string;
  /** The imported items, or a text with the reason why nothing was imported. */
  outcome: Imported | string;
}

interface Props {
  store: WorkspaceStore;
  /** Runs after the last file. */
  onDone: () => void;
}

/** Imports files of any known tool. Users choose them or drop them anywhere on the page, several at once, also in a zip. */
export function ImportFiles({ store, onDone }: Props) {
  const [results, setResults] = useState<Result[]>([]);
  /** The number of imported files, and the number of all files; null while no import is running. */
  const [progress, setProgress] = useState<{ done: number; of: number } | null>(null);
  const [isOver, setOver] = useState(false);
  /** The files that are not imported yet. The user may add more while an import is running. */
  const waiting = useRef<File[]>([]);
  const isBusy = useRef(false);

  async function takeIn(chosen: readonly File[]): Promise<void> {
    waiting.current.push(...chosen);
    if (isBusy.current || waiting.current.length === 0) return;
    isBusy.current = true;
    setResults([]);
    const add = (result: Result) => setResults((before) => [...before, result]);
    let done = 0;
    for (let file = waiting.current.shift(); file; file = waiting.current.shift()) {
      let texts: TextFile[] = [];
      try {
        texts = await textFilesOf(file);
      } catch (error) {
        add({ name: file.name, outcome: error instanceof Error ? error.message : "It cannot be read." });
      }
      for (const [place, { name, text }] of texts.entries()) {
        setProgress({ done, of: done + texts.length - place + waiting.current.length });
        try {
          add({ name, outcome: await store.importFile(text, name) });
        } catch (error) {
          add({ name, outcome: await failureText(error) });
        }
        done += 1;
      }
    }
    setProgress(null);
    isBusy.current = false;
    onDone();
  }

  const latest = useRef(takeIn);
  latest.current = takeIn;
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      void latest.current([...(event.dataTransfer?.files ?? [])]);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);

  return (
    <section class={isOver ? "import over" : "import"} aria-label="Import">
      <p class="row">
        <label class="button">
          <Icon name="install" /> Import files
          <input
            class="hidden"
            type="file"
            multiple
            onChange={({ currentTarget }) => {
              const chosen = [...(currentTarget.files ?? [])];
              currentTarget.value = "";
              void takeIn(chosen);
            }}
          />
        </label>
        <span class="quiet">
          {isOver
            ? "Drop them here."
            : "Or drop them on this page: n8n, Dify, ComfyUI, Flowise, Langflow, skills, prompts, presets, a zip of them."}
        </span>
      </p>
      <div role="status">
        {progress && (
          <p>
            <progress max={progress.of} value={progress.done} /> {progress.done} of {progress.of}
          </p>
        )}
        {results.length > 0 && !progress && <p>{summary(results)}</p>}
      </div>
      {results.length > 0 && (
        <ul class="results">
          {results.map(({ name, outcome }, place) => (
            <li key={`${place} ${name}`}>
              <bdi>{name}</bdi>:{" "}
              {typeof outcome === "string" ? (
                <span class="error">{outcome}</span>
              ) : (
                <>
                  {outcome.items.slice(0, 20).map((item, n) => (
                    <>
                      {n > 0 && ", "}
                      <a key={item.id} href={`/workspace/${item.type}/${item.id}`} dir="auto">
                        {item.name}
                      </a>
                    </>
                  ))}
                  {outcome.items.length > 20 && ` and ${outcome.items.length - 20} more`}
                  {outcome.warnings.length > 0 && <span class="quiet"> {outcome.warnings.join(" ")}</span>}
                </>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function summary(results: readonly Result[]): string {
  const items = results.reduce(
    (sum, { outcome }) => sum + (typeof outcome === "string" ? 0 : outcome.items.length),
    0,
  );
  const refused = results.filter(({ outcome }) => typeof outcome === "string").length;
  const taken = items === 1 ? "Imported." : `Imported ${items} items.`;
  if (refused === 0) return taken;
  return `${items > 0 ? `${taken} ` : ""}${refused === 1 ? "One file was" : `${refused} files were`} not imported.`;
}
