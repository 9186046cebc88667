import type postgres from "postgres";

/** A row of api_key_states, as far as the demo shows it. */
export interface KeyState {
  key_name: string;
  priority: number;
  state: string;
  seconds_left: number | null;
  consecutive_failures: number;
  usage_count: number;
  why: string | null;
  last_outcome: string | null;
  last_error_code: string | null;
}

type Style = "green" | "yellow" | "red" | "dim" | "bold";
const codes: Record<Style, number> = { green: 32, yellow: 33, red: 31, dim: 2, bold: 1 };

/** Gives a text a style, or leaves it plain. */
export type Paint = (style: Style, text: string) => string;

export function createPaint(coloured: boolean): Paint {
  return (style, text) => (coloured ? `\u001b[${codes[style]}m${text}\u001b[0m` : text);
}

export async function readStates(sql: postgres.Sql, userId: string): Promise<KeyState[]> {
  return sql<KeyState[]>`
    select key_name, priority, state, seconds_left::int as seconds_left, consecutive_failures,
      usage_count::int as usage_count, why, last_outcome, last_error_code
    from public.api_key_states
    where user_id = ${userId}
    order by priority desc, key_name`;
}

/** Together no wider than a terminal of 80 columns. */
const columns: [title: string, width: number][] = [
  ["KEY", 6],
  ["PRIO", 4],
  ["STATE", 20],
  ["FAILS", 5],
  ["USED", 5],
  ["WHY", 16],
  ["LAST REPORT", 16],
];

/** The table, a heading and one line a key, without keys' values. */
export function drawTable(states: KeyState[], paint: Paint): string[] {
  const heading = columns.map(([title, width]) => title.padEnd(width)).join(" ");
  return [paint("dim", heading.trimEnd()), ...states.map((state) => drawRow(state, paint))];
}

function drawRow(key: KeyState, paint: Paint): string {
  const last = [key.last_outcome, key.last_error_code].filter((part) => part !== null).join(" ");
  const cells = [
    key.key_name,
    String(key.priority).padStart(4),
    drawState(key),
    String(key.consecutive_failures).padStart(5),
    String(key.usage_count).padStart(5),
    key.why ?? "",
    last,
  ].map((cell, index) => fit(cell, columns[index]?.[1] ?? 0));
  const style = key.state === "available" ? "green" : key.state === "disabled" ? "red" : "yellow";
  cells[2] = paint(style, cells[2] ?? "");
  return cells.join(" ").trimEnd();
}

/** The last seconds as a bar too. */
function drawState({ state, seconds_left }: KeyState): string {
  if (state === "available") return "● available";
  if (state === "disabled") return "✕ disabled";
  const seconds = seconds_left ?? 0;
  return `○ cooling ${String(seconds).padStart(3)} s ${"▮".repeat(Math.min(seconds, 4))}`;
}

function fit(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width);
}
