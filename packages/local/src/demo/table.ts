import { styleText } from "node:util";
import type postgres from "postgres";

/** The members of a row of api_key_states that the demo shows. */
export interface DemoKeyState {
  key_name: string;
  priority: number;
  state: string;
  seconds_left: number | null;
  consecutive_failures: number;
  usage_count: number;
  why: string | null;
  last_outcome: string | null;
  last_error_code: string | null;
  /** Models that are limited while the key still serves other models. */
  limited_models: string[] | null;
}

/** Gives a text a style, or leaves it plain. */
export type Paint = (style: "green" | "yellow" | "red" | "dim" | "bold", text: string) => string;

export function createPaint(coloured: boolean): Paint {
  return (style, text) => (coloured ? styleText(style, text, { validateStream: false }) : text);
}

export async function readStates(sql: postgres.Sql, userId: string): Promise<DemoKeyState[]> {
  return sql<DemoKeyState[]>`
    select key_name, priority, state, seconds_left::int as seconds_left, consecutive_failures,
      usage_count::int as usage_count, why, last_outcome, last_error_code, limited_models
    from public.api_key_states
    where user_id = ${userId}
    order by priority desc, key_name`;
}

/** Returns a line for each key whose state differs between the two readings. */
export function newsOf(before: DemoKeyState[], now: DemoKeyState[]): string[] {
  return now.flatMap((key) => {
    const known = before.find(({ key_name }) => key_name === key.key_name);
    if (known === undefined || known.state === key.state) return [];
    if (key.state === "available") return [`${key.key_name} is back`];
    const what = key.state === "disabled" ? "is out for good" : `cools down for ${key.seconds_left} s`;
    return [`${key.key_name} ${what}: ${key.why}`];
  });
}

/** The columns of the table. Together they fit into a terminal that is 80 characters wide. */
const COLUMNS: [title: string, width: number, cell: (key: DemoKeyState) => string][] = [
  ["KEY", 6, (key) => key.key_name],
  ["PRIO", 4, (key) => String(key.priority).padStart(4)],
  ["STATE", 20, (key) => shownState(key)[1]],
  ["FAILS", 5, (key) => String(key.consecutive_failures).padStart(5)],
  ["USED", 5, (key) => String(key.usage_count).padStart(5)],
  ["WHY", 16, (key) => key.why ?? ""],
  ["LAST REPORT", 16, (key) => [key.last_outcome, key.last_error_code].filter(Boolean).join(" ")],
];

/** Returns the state as a colour and a text; the last seconds of a cooldown are also a bar. */
function shownState({
  state,
  seconds_left,
  limited_models,
}: DemoKeyState): [style: "green" | "red" | "yellow", text: string] {
  if (state === "available") {
    const resting = limited_models?.join(", ");
    return resting ? ["yellow", `◐ without ${resting}`] : ["green", "● available"];
  }
  if (state === "disabled") return ["red", "✕ disabled"];
  const seconds = seconds_left ?? 0;
  return ["yellow", `○ cooling ${String(seconds).padStart(3)} s ${"▮".repeat(Math.min(seconds, 4))}`];
}

/** Returns the table: a heading and one line for each key, without the keys themselves. */
export function drawTable(states: DemoKeyState[], paint: Paint): string[] {
  const heading = COLUMNS.map(([title, width]) => title.padEnd(width)).join(" ");
  const row = (key: DemoKeyState) =>
    COLUMNS.map(([title, width, cell]) => {
      const text = cell(key);
      const fitted = text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width);
      return title === "STATE" ? paint(shownState(key)[0], fitted) : fitted;
    });
  return [paint("dim", heading.trimEnd()), ...states.map((key) => row(key).join(" ").trimEnd())];
}
