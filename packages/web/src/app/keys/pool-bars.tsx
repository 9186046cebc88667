import type { OwnPool } from "./pool.ts";
import { duration } from "./words.ts";

const PARTS = [
  ["available", "available"],
  ["limited", "limited for a model"],
  ["cooling_down", "cooling down"],
  ["disabled", "disabled"],
] as const;

/** Shows how many keys of each provider can be leased, as a bar and in words. */
export function PoolBars({ pools }: { pools: OwnPool[] }) {
  return (
    <ul class="pools">
      {pools.map((pool) => (
        <li key={pool.provider ?? ""}>
          <strong dir="auto">{pool.provider ?? "any provider"}</strong>
          <span class="bar-of-keys" aria-hidden="true">
            {PARTS.map(
              ([part]) => pool[part] > 0 && <span key={part} class={part} style={{ flexGrow: pool[part] }} />,
            )}
          </span>
          <span class="quiet">
            {PARTS.filter(([part]) => pool[part] > 0)
              .map(([part, words]) => `${pool[part]} ${words}`)
              .join(" · ")}
            {pool.available === 0 &&
              pool.soonest_seconds !== null &&
              ` · back in ${duration(pool.soonest_seconds)}`}
          </span>
          {pool.starved_since && <span class="tag warn">no key can be leased</span>}
        </li>
      ))}
    </ul>
  );
}
