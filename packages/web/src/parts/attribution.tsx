import { SECTIONS, sharedPath } from "../data/addresses.ts";
import type { ShownAttribution, ShownOrigin } from "../data/hub.ts";
import { Icon } from "./icon.tsx";

interface Props {
  attribution: ShownAttribution;
  section?: string;
  /** The organization on whose shelf the listing is. Links to works lead to that shelf, which redirects to the hub if a work is public. */
  shelf?: string | undefined;
}

/** Shows the works that a listing was made from. A work that can be opened is a link; a work that is gone is only named. */
export function Badge({ attribution, section, shelf }: Props) {
  const { root, parent, via = [], text } = attribution;
  const pathOf = (source: ShownOrigin) => (shelf ? sharedPath(shelf, source) : sourcePath(source, section));
  const others = [parent, ...via].filter(
    (one): one is ShownOrigin => one !== null && one.id !== root?.id && Boolean(one.title),
  );
  return (
    <div class="attribution">
      <p dir="auto">
        <Icon name="remix" /> {root?.available ? <a href={pathOf(root)}>{text}</a> : <span>{text}</span>}
        {root && !root.available && !root.deleted && <span class="quiet"> (no longer available)</span>}
      </p>
      {others.length > 0 && (
        <ul>
          {others.map((one) => (
            <li key={one.id} dir="auto">
              through{" "}
              {one.available ? (
                <a href={pathOf(one)}>{one.title}</a>
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

/** Returns the address of a work. The type of the work is not known here, but a page of the wrong type redirects to the right one. */
function sourcePath(source: ShownOrigin, section: string = SECTIONS.template): string {
  return `/hub/${section}/${encodeURIComponent(source.slug)}`;
}
