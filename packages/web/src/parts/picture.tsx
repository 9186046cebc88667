import { assetPath } from "../data/addresses.ts";
import type { Card } from "../data/hub.ts";
import { Icon } from "./icon.tsx";

/** The picture on top of a card: its thumbnail, the drawn pipeline, or a pattern made from the slug. It repeats what the text says, so it has no text. */
export function Picture({ card }: { card: Card }) {
  if (card.thumbnail_url?.startsWith("https://")) {
    return (
      <div class="picture">
        <img
          src={card.thumbnail_url}
          alt=""
          loading="lazy"
          width="480"
          height="200"
          referrerpolicy="no-referrer"
        />
      </div>
    );
  }
  if (card.asset_type === "orchestration") {
    return (
      <div class="picture">
        <img src={`${assetPath(card)}.svg`} alt="" loading="lazy" width="480" height="200" />
      </div>
    );
  }
  return (
    <div class="picture">
      <Pattern seed={card.slug} />
      <span class="picture-sign">
        <Icon name={card.asset_type} />
      </span>
    </div>
  );
}

/** Circles whose places come from a text: the same for the same listing, different for the next. */
export function Pattern({ seed }: { seed: string }) {
  const next = numbersOf(seed);
  const circles = Array.from({ length: 7 }, () => ({
    x: next(480),
    y: next(200),
    radius: 18 + next(70),
    opacity: 0.08 + next(14) / 100,
  }));
  return (
    <svg
      class="pattern"
      viewBox="0 0 480 200"
      preserveAspectRatio="xMidYMid slice"
      aria-hidden="true"
      focusable="false"
    >
      {circles.map((one) => (
        <circle
          key={`${one.x} ${one.y}`}
          cx={one.x}
          cy={one.y}
          r={one.radius}
          fill="currentColor"
          fill-opacity={one.opacity}
        />
      ))}
    </svg>
  );
}

/** Whole numbers below a bound, drawn from a text (xorshift). */
function numbersOf(seed: string): (bound: number) => number {
  let state = 2_166_136_261;
  for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 16_777_619);
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}
