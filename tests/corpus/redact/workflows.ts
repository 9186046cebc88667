import { generate, randomFrom } from "./generate.ts";
import workflows from "./workflows.json" with { type: "json" };

/** A workflow with planted secrets, and what was planted where (dotted paths). */
export interface Workflow {
  name: string;
  value: unknown;
  planted: { path: string; secret: string | number; before: string; after: string }[];
}

/** Fills the planted places of each workflow; `«#…»` alone becomes a number. */
export function plantedWorkflows(seed = 11): Workflow[] {
  const random = randomFrom(seed);
  return Object.entries(workflows)
    .filter(([name]) => name !== "sources")
    .map(([name, template]) => {
      const planted: Workflow["planted"] = [];
      const fill = (value: unknown, path: string): unknown => {
        if (typeof value === "string") return fillText(value, path, planted, random);
        if (Array.isArray(value)) return value.map((child, i) => fill(child, join(path, String(i))));
        if (typeof value !== "object" || value === null) return value;
        return Object.fromEntries(
          Object.entries(value).map(([key, child]) => [key, fill(child, join(path, key))]),
        );
      };
      return { name, value: fill(template, ""), planted };
    });
}

function fillText(text: string, path: string, planted: Workflow["planted"], random: () => number): unknown {
  const match = /«([^»]*)»/.exec(text);
  if (match === null) return text;
  const format = match[1] as string;
  const secret = generate(format.replace(/^#/, ""), random);
  const before = text.slice(0, match.index);
  const after = text.slice(match.index + match[0].length);
  if (format.startsWith("#")) {
    planted.push({ path, secret: Number(secret), before, after });
    return Number(secret);
  }
  planted.push({ path, secret, before, after });
  return before + secret + after;
}

/** What is wrong with a redacted workflow: secrets that are left, and values that should have stayed. */
export function faultsOfWorkflow({ value, planted }: Workflow, redacted: unknown): string[] {
  const faults: string[] = [];
  const places = new Map(planted.map((place) => [place.path, place]));
  const compare = (before: unknown, after: unknown, path: string): void => {
    const place = places.get(path);
    if (place !== undefined) {
      if (typeof place.secret === "number") {
        if (after === before) faults.push(`${path} is left`);
      } else if (typeof after !== "string" || after.includes(place.secret)) faults.push(`${path} is left`);
      else if (!after.startsWith(place.before) || !after.endsWith(place.after))
        faults.push(`${path} lost its text: ${after}`);
      return;
    }
    if (typeof before !== "object" || before === null) {
      if (before !== after) faults.push(`${path} changed: ${JSON.stringify(after)}`);
      return;
    }
    const keys = Object.keys(before);
    if (typeof after !== "object" || after === null || Object.keys(after).join() !== keys.join()) {
      faults.push(`${path} changed its keys`);
      return;
    }
    for (const key of keys) {
      compare(
        (before as Record<string, unknown>)[key],
        (after as Record<string, unknown>)[key],
        join(path, key),
      );
    }
  };
  compare(value, redacted, "");
  return faults;
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
