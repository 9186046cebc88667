import { piecesOf } from "../../parts/template.tsx";

type Payload = Readonly<Record<string, unknown>>;

/** Returns the stored variables by name. They are stored as a list of names, as a list of objects with names, or as an object by name. */
function storedOf({ variables }: Payload): Map<string, unknown> {
  if (!Array.isArray(variables)) return new Map(Object.entries(Object(variables)));
  return new Map(
    variables.flatMap((one): [string, unknown][] => {
      const name = typeof one === "string" ? one : Object(one).name;
      return typeof name === "string" ? [[name, one]] : [];
    }),
  );
}

/** Returns the names of the variables in a prompt. For an unchanged prompt, adds the stored variables that the prompt does not use. */
export function variableNames(content: string, payload: Payload): string[] {
  const used = piecesOf(content).flatMap((piece) => ("variable" in piece ? [piece.variable] : []));
  const listed = content === payload.content ? storedOf(payload).keys() : [];
  return [...new Set([...used, ...listed])];
}

export function variableDescription(name: string, payload: Payload): string {
  const stored = storedOf(payload).get(name);
  if (typeof stored === "string") return Array.isArray(payload.variables) ? "" : stored;
  const { description } = Object(stored);
  return typeof description === "string" ? description : "";
}

/** Returns the variables to store with a prompt. Only descriptions change: all other stored members of a variable stay. */
export function variablesOfPrompt(
  content: string,
  payload: Payload,
  described: (name: string) => string,
): unknown {
  const names = variableNames(content, payload);
  const isSame = (name: string) => described(name) === variableDescription(name, payload);
  if (content === payload.content && names.every(isSame)) return payload.variables ?? [];
  const stored = storedOf(payload);
  const isMap = !Array.isArray(payload.variables) && Object(payload.variables) === payload.variables;
  const entries = names.map((name): [string, unknown] => {
    const now = stored.get(name);
    if (now !== undefined && isSame(name)) return [name, now];
    const { description: _, ...rest } = typeof now === "string" ? {} : Object(now);
    const description = described(name);
    return [name, { ...(isMap ? rest : { name, ...rest }), ...(description && { description }) }];
  });
  return isMap ? Object.fromEntries(entries) : entries.map(([, one]) => one);
}
