import { SECTIONS } from "../data/addresses.ts";
import type { ShownAttribution, ShownOrigin } from "../data/hub.ts";
import { Icon } from "./icon.tsx";

/** Whose work this was made from. A source that can be opened is a link; of one that is gone the sentence stays. */
export function Badge({ attribution, section }: { attribution: ShownAttribution; section?: string }) {
  const { root, parent, via = [], text } = attribution;
  const others = [parent, ...via].filter(
    (one): one is ShownOrigin => one !== null && one.id !== root?.id && Boolean(one.title),
  );
  return (
    <div class="attribution">
      <p dir="auto">
        <Icon name="remix" />{" "}
        {root?.available ? <a href={sourcePath(root, section)}>{text}</a> : <span>{text}</span>}
        {root && !root.available && !root.deleted && <span class="quiet"> (no longer available)</span>}
      </p>
      {others.length > 0 && (
        <ul>
          {others.map((one) => (
            <li key={one.id} dir="auto">
              through{" "}
              {one.available ? (
                <a href={sourcePath(one, section)}>{one.title}</a>
              ) : (
                <span>{one.deleted ? "a deleted asset" : one.title}</span>
              )}
              {one.creator && <> by @{one.creator.username}</>}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** A source does not say its type; another type's address answers with the right one. */
function sourcePath(source: ShownOrigin, section: string = SECTIONS.template): string {
  return `/hub/${section}/${encodeURIComponent(source.slug)}`;
}
