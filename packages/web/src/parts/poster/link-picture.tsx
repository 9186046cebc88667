import { TYPE_NAMES } from "../../data/addresses.ts";
import type { AssetType } from "../../data/hub.ts";
import { drawableTitle } from "./drawable.ts";
import { linesOf } from "./lines.ts";
import { Ground, Inside, POSTER_HEIGHT, POSTER_WIDTH } from "./poster.tsx";

/** The size in pixels that other sites require for the picture of a link (`og:image`). */
export const LINK_WIDTH = 1200;
export const LINK_HEIGHT = 630;

/** The height of the dark band at the bottom, with the title, the type and the creator. */
const BAND = 214;
const LEFT = 64;

interface Props {
  asset: {
    asset_type: AssetType;
    slug: string;
    title: string;
    creator: { username: string } | null;
    payload: Record<string, unknown>;
  };
}

/** Draws the picture of a link to a listing: its poster, and below it the title, the type and the creator. */
export function LinkPicture({ asset }: Props) {
  const type = TYPE_NAMES[asset.asset_type].one;
  // If the font has no letters for the title, the type is shown instead.
  const title = drawableTitle(asset.title) ?? type;
  const lines = linesOf([{ text: title, strong: false }], 41, 3).map((line) =>
    line
      .map(({ text }) => text)
      .join("")
      .trim(),
  );
  const shown = lines.slice(0, 2);
  if (lines.length > 2) shown[1] = `${shown[1]}…`;
  const top = LINK_HEIGHT - BAND;
  const by = asset.creator ? `@${asset.creator.username}` : "";
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      viewBox={`0 0 ${LINK_WIDTH} ${LINK_HEIGHT}`}
      width={LINK_WIDTH}
      height={LINK_HEIGHT}
      font-family="Inter"
      aria-hidden="true"
    >
      <Ground asset={asset} width={LINK_WIDTH} height={LINK_HEIGHT} />
      <svg
        x={(LINK_WIDTH - 2 * top) / 2}
        y="0"
        width={2 * top}
        height={top}
        viewBox={`0 0 ${POSTER_WIDTH} ${POSTER_HEIGHT}`}
        aria-hidden="true"
      >
        <Inside type={asset.asset_type} payload={asset.payload} />
      </svg>
      <rect y={top} width={LINK_WIDTH} height={BAND} fill="#11101f" fill-opacity=".82" />
      {shown.map((line, row) => (
        <text
          key={`${row} ${line}`}
          x={LEFT}
          y={top + (shown.length === 1 ? 86 : 66) + row * 56}
          font-size="46"
          font-weight="700"
          fill="#fff"
        >
          {line}
        </text>
      ))}
      <g font-size="28" fill="#fff" fill-opacity=".85">
        <text x={LEFT} y={LINK_HEIGHT - 34}>
          {[title === type ? "" : type, by].filter(Boolean).join(" · ")}
        </text>
        <text x={LINK_WIDTH - LEFT} y={LINK_HEIGHT - 34} text-anchor="end" font-weight="700">
          Keyhub
        </text>
      </g>
    </svg>
  );
}
