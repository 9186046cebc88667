import type { Preview } from "@keyhub/hub/source";
import { Content } from "../../parts/content.tsx";
import { LICENSE_WORDS } from "../../parts/format.ts";

interface Props {
  preview: Preview;
  /** The people who will see the publication. */
  readers: string;
}

/** Shows the publication exactly as readers will see it. The server has made this preview. */
export function PreviewOf({ preview, readers }: Props) {
  const { redactions, hints, findings, items, payload } = preview;
  return (
    <>
      <p>
        This is what {readers} will see. Version {preview.version}, {LICENSE_WORDS[preview.license].name}.
      </p>
      <h3 dir="auto">{preview.asset.title}</h3>
      <p dir="auto">{preview.asset.description}</p>
      <p class="quiet">{preview.asset.tags.map((tag) => `#${tag}`).join(" ")}</p>
      <div class="read-only">
        <Content
          asset={{
            ...{ asset_type: preview.asset.asset_type, title: preview.asset.title, payload },
            items: items.map((one) => ({ ...one, attribution: null })),
          }}
          findings={findings}
        />
      </div>
      <details class="source">
        <summary>The same as JSON, with every field</summary>
        <pre tabIndex={0} dir="ltr">
          {JSON.stringify({ payload, items: items.map((one) => one.payload) }, null, 2)}
        </pre>
      </details>
      {hints.length > 0 && (
        <div class="note">
          <p>
            Check these places: each has a long random word. If it is a key, remove it before you publish.
          </p>
          <ul>
            {hints.map(({ path }) => (
              <li key={path}>
                <code>{path}</code>
              </li>
            ))}
          </ul>
        </div>
      )}
      {redactions.length > 0 && (
        <div class="note">
          <p>Removed, because it looks like a secret:</p>
          <ul>
            {redactions.slice(0, 50).map(({ path, rule }) => (
              <li key={`${path} ${rule}`}>
                <code>{path}</code> ({rule})
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
