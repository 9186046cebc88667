import type { Finding } from "../data/hub.ts";
import { Findings } from "./findings.tsx";
import { Icon } from "./icon.tsx";

interface Props {
  payload: Record<string, unknown>;
  findings: readonly Finding[];
  title: string;
}

/** Shows a component's source, and a frame that runs it on request. */
export function ComponentView({ payload, findings, title }: Props) {
  const source = String(payload.source ?? "");
  return (
    <div class="component-view" data-code>
      <Findings findings={findings} />
      <div
        class="preview"
        data-preview
        data-title={title}
        data-props={JSON.stringify(payload.props_schema ?? null)}
        hidden
      >
        <p class="row">
          <button class="button" type="button" data-preview-run>
            <Icon name="play" /> Run preview
          </button>
          <span class="quiet">
            Runs in a closed frame without network or storage. Put nothing private into its props.
          </span>
        </p>
        <div data-preview-place />
      </div>
      <details class="source" open={source.length < 4_000}>
        <summary>Source, {source.split("\n").length} lines</summary>
        <pre dir="ltr" tabIndex={0}>
          <code data-source>{source}</code>
        </pre>
      </details>
      <p class="row">
        <button type="button" data-copy hidden>
          <Icon name="copy" /> Copy the source
        </button>
      </p>
    </div>
  );
}
