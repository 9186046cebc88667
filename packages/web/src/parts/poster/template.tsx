import { piecesOf } from "../template.tsx";
import { isRightToLeft, linesOf } from "./lines.ts";

const LINES = 6;
const STEP = 31;

/** Draws the beginning of the prompt on a sheet, with its variables marked. */
export function TemplatePoster({ payload }: { payload: Record<string, unknown> }) {
  const content = String(payload.content ?? "").slice(0, 2_000);
  const runs = piecesOf(content).map((piece) =>
    "text" in piece ? { text: piece.text, strong: false } : { text: `{${piece.variable}}`, strong: true },
  );
  const fromRight = isRightToLeft(content);
  return (
    <>
      <rect x="30" y="26" width="420" height="260" rx="14" fill="#fff" fill-opacity=".13" />
      {linesOf(runs, 36, LINES).map((line, row) => (
        <text
          key={line.map(({ text }) => text).join("")}
          x={fromRight ? 426 : 54}
          y={66 + row * STEP}
          direction={fromRight ? "rtl" : "ltr"}
          font-size="19"
          fill="#fff"
          fill-opacity=".93"
        >
          {line.map(({ text, strong }) =>
            strong ? (
              <tspan key={text} fill="#ffe7a3" font-weight="700">
                {text}
              </tspan>
            ) : (
              text
            ),
          )}
        </text>
      ))}
    </>
  );
}
