import type { Finding } from "../data/hub.ts";
import { Icon } from "./icon.tsx";

/** Shows the findings of the scan in a component, with line numbers. */
export function Findings({ findings }: { findings: readonly Finding[] }) {
  if (findings.length === 0)
    return <p class="quiet">The scan found nothing to warn about. It is a help, not a proof.</p>;
  return (
    <div class="warning" role="note">
      <p>
        <Icon name="warning" /> The scan found{" "}
        {findings.length === 1 ? "something" : `${findings.length} places`} to look at before you run this:
      </p>
      <ul>
        {findings.slice(0, 50).map((one) => (
          <li key={`${one.path} ${one.rule} ${one.line} ${one.column}`}>
            <strong>{one.rule}</strong> in {itemOf(one.path)}line {one.line}:{" "}
            <code dir="ltr">{one.excerpt}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Returns words for the item of a kit that a path names, such as `item 2, `; empty for a component that is not in a kit. */
function itemOf(path: string | undefined): string {
  const place = /^items\.(\d+)\./.exec(path ?? "")?.[1];
  return place === undefined ? "" : `item ${Number(place) + 1}, `;
}
