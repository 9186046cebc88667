import type { ArchiveItem, AssetType } from "@keyhub/hub/source";
import { TYPE_NAMES } from "../../data/addresses.ts";

/** By the type of a kit's part: the member of its payload that the user edits as text. Parts of all other types are only shown. */
export const TEXT_OF: Partial<Record<AssetType, string>> = { template: "content", component: "source" };

export const partName = (place: number) => `part-${place}`;

/** Shows the parts of a kit that is in this browser only. In an account each part is an item of its own. */
export function KitParts({ parts }: { parts: readonly ArchiveItem[] }) {
  return (
    <section aria-labelledby="parts">
      <h2 id="parts">Inside this kit</h2>
      {parts.map((part, place) => {
        const member = TEXT_OF[part.asset_type];
        return (
          <details class="item" key={part.ref_id}>
            <summary>
              <bdi>{part.title}</bdi> <span class="quiet">{TYPE_NAMES[part.asset_type].one}</span>
            </summary>
            {member === undefined ? (
              <pre tabIndex={0}>
                <code>{JSON.stringify(part.payload, null, 2)}</code>
              </pre>
            ) : (
              <label class="field">
                <span>
                  {part.asset_type === "template" ? "Prompt" : "Source"} of {part.title}
                </span>
                <textarea
                  name={partName(place)}
                  class="code"
                  rows={12}
                  dir="auto"
                  defaultValue={String(part.payload[member] ?? "")}
                />
              </label>
            )}
          </details>
        );
      })}
    </section>
  );
}
