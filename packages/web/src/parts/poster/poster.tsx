import type { AssetType } from "../../data/hub.ts";
import { ComponentPoster } from "./component.tsx";
import { PipelinePoster } from "./pipeline.tsx";
import { PresetPoster } from "./preset.tsx";
import { TemplatePoster } from "./template.tsx";

export const POSTER_WIDTH = 480;
export const POSTER_HEIGHT = 240;

/** The hue of each type in degrees. The slug of a listing shifts this hue by at most half of AROUND, so listings look different. */
const HUES: Record<AssetType, number> = { orchestration: 250, template: 176, component: 20, ai_preset: 322 };
const AROUND = 36;

interface Props {
  asset: { asset_type: AssetType; slug: string; payload: Record<string, unknown> };
}

/**
 * Draws the picture of a listing that has none of its own: a sketch of its content. The picture is shown as `<img>`, so no script in it
 * runs. It repeats texts of the page, so it is hidden from screen readers. White on deep colours fits the light and the dark theme.
 */
export function Poster({ asset }: Props) {
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      viewBox={`0 0 ${POSTER_WIDTH} ${POSTER_HEIGHT}`}
      width={POSTER_WIDTH}
      height={POSTER_HEIGHT}
      aria-hidden="true"
      font-family="Inter, system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"
    >
      <Ground asset={asset} width={POSTER_WIDTH} height={POSTER_HEIGHT} />
      <Inside type={asset.asset_type} payload={asset.payload} />
    </svg>
  );
}

interface GroundProps {
  asset: Pick<Props["asset"], "asset_type" | "slug">;
  width: number;
  height: number;
}

/** Draws the background of a listing: its colours and two circles. */
export function Ground({ asset, width, height }: GroundProps) {
  const next = numbersOf(asset.slug);
  const hue = HUES[asset.asset_type] - AROUND / 2 + next(AROUND);
  const scale = height / POSTER_HEIGHT;
  return (
    <>
      <defs>
        <linearGradient id="ground" x1="0" y1="0" x2="1" y2="1">
          <stop offset="0" stop-color={`hsl(${hue}, 58%, 42%)`} />
          <stop offset="1" stop-color={`hsl(${hue + 38}, 62%, 24%)`} />
        </linearGradient>
      </defs>
      <rect width={width} height={height} fill="url(#ground)" />
      {[0, 1].map((one) => (
        <circle
          key={one}
          cx={next(width)}
          cy={next(height)}
          r={(70 + next(90)) * scale}
          fill="#fff"
          fill-opacity=".06"
        />
      ))}
    </>
  );
}

/** Draws the content of a listing on a field of POSTER_WIDTH × POSTER_HEIGHT. */
export function Inside({ type, payload }: { type: AssetType; payload: Record<string, unknown> }) {
  switch (type) {
    case "orchestration":
      return <PipelinePoster payload={payload} />;
    case "template":
      return <TemplatePoster payload={payload} />;
    case "component":
      return <ComponentPoster payload={payload} />;
    case "ai_preset":
      return <PresetPoster payload={payload} />;
    default:
      throw new Error(`unknown asset type: ${String(type satisfies never)}`);
  }
}

/** Returns a generator of pseudo-random whole numbers below a bound (xorshift), which gives the same numbers for the same text. */
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
