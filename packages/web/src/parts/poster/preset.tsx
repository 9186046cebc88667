import { fitting } from "./lines.ts";

const ROWS = 3;
const LEFT = 190;
const LONG = 190;

/** The settings that have a scale, and functions that return the position of a value on it (from 0 to 1). */
const SCALES: [key: string, name: string, place: (value: number) => number][] = [
  ["temperature", "Temperature", (value) => value / 2],
  ["topP", "Top P", (value) => value],
  ["thinkingBudget", "Thinking", (value) => Math.log2(1 + value) / 15],
  ["maxOutputTokens", "Length", (value) => Math.log2(1 + value) / 16],
  ["topK", "Top K", (value) => value / 100],
];

/** Draws the model, and its settings as sliders. */
export function PresetPoster({ payload }: { payload: Record<string, unknown> }) {
  const rows = SCALES.flatMap(([key, name, place]) => {
    const value = payload[key];
    if (typeof value !== "number" || !Number.isFinite(value)) return [];
    return [{ name, value, place: Math.min(1, Math.max(0, place(value))) }];
  }).slice(0, ROWS);
  const model = typeof payload.model_id === "string" ? payload.model_id : "";
  return (
    <>
      <text x="36" y="72" font-size="30" font-weight="700" fill="#fff">
        {fitting(model, 25)}
      </text>
      {rows.map(({ name, value, place }, row) => {
        const y = 124 + row * 42;
        return (
          <g key={name} fill="#fff">
            <text x="36" y={y + 6} font-size="18" fill-opacity=".9">
              {name}
            </text>
            <rect x={LEFT} y={y - 3} width={LONG} height="6" rx="3" fill-opacity=".25" />
            <rect x={LEFT} y={y - 3} width={LONG * place} height="6" rx="3" fill-opacity=".85" />
            <circle cx={LEFT + LONG * place} cy={y} r="10" />
            <text x="444" y={y + 6} font-size="17" font-weight="600" text-anchor="end">
              {Intl.NumberFormat("en", { notation: "compact" }).format(value)}
            </text>
          </g>
        );
      })}
    </>
  );
}
