/** The kind of field for a prop, from the type in the schema. Objects, lists and unknown types are edited as JSON. */
type Kind = "text" | "number" | "integer" | "boolean" | "choice" | "json";

interface Prop {
  name: string;
  kind: Kind;
  label: string;
  hint: string;
  choices: unknown[];
  /** The initial value. If it is undefined, the component runs without the prop until the user types a value. */
  value: unknown;
}

/** The largest number of fields; more props are edited as one JSON text. */
const MOST_FIELDS = 40;
/** A text with more characters than this is edited in a field with several lines. */
const LONG_TEXT = 60;

export interface PropsForm {
  element: HTMLElement;
  /** Returns the props; null while a field has a value of the wrong kind. */
  read(): Record<string, unknown> | null;
  onChange(notify: (props: Record<string, unknown>) => void): void;
}

/**
 * Makes a form with a field for each prop of a component's schema. A stranger wrote the schema, so its titles and descriptions are
 * inserted as text, never as HTML.
 */
export function propsForm(schema: unknown, initial: Record<string, unknown>): PropsForm {
  const element = document.createElement("fieldset");
  element.className = "stack props";
  const legend = document.createElement("legend");
  legend.textContent = "Props";
  element.append(legend);
  const props = propsOf(schema, initial);
  const fields = props.map((prop) => ({ prop, ...fieldOf(prop) }));
  element.append(...fields.map(({ box }) => box));
  const read = (): Record<string, unknown> | null => {
    // The object has no prototype, because a prop may be called __proto__.
    const values: Record<string, unknown> = Object.create(null);
    let isWhole = true;
    for (const { prop, input, typed } of fields) {
      const value = typed();
      input.setAttribute("aria-invalid", String(value === WRONG));
      if (value === WRONG) isWhole = false;
      else if (prop.name === "") Object.assign(values, value);
      else if (value !== undefined) values[prop.name] = value;
    }
    return isWhole ? values : null;
  };
  return {
    element,
    read,
    onChange: (notify) =>
      element.addEventListener("input", () => {
        const values = read();
        if (values) notify(values);
      }),
  };
}

/** Returns the props of a schema. If there are none or too many, returns one prop without a name, whose value is the JSON of all props. */
function propsOf(schema: unknown, initial: Record<string, unknown>): Prop[] {
  const { properties } = Object(schema) as { properties?: unknown };
  const named = Object.entries(Object(properties) as Record<string, unknown>);
  if (named.length === 0 || named.length > MOST_FIELDS) {
    return [{ name: "", kind: "json", label: "Props (JSON)", hint: "", choices: [], value: initial }];
  }
  return named.map(([name, one]) => {
    const { type, enum: choices, title, description } = Object(one) as Record<string, unknown>;
    const kinds = (Array.isArray(type) ? type : [type]).filter((kind) => kind !== "null");
    const isChoice =
      Array.isArray(choices) && choices.length > 0 && choices.every((choice) => Object(choice) !== choice);
    const kind = isChoice ? "choice" : kinds.length === 1 ? kindOf(kinds[0]) : "json";
    const value = Object.hasOwn(initial, name) ? initial[name] : undefined;
    return {
      name,
      // An example that does not fit the schema is edited as JSON.
      kind: fits(kind, value) ? kind : "json",
      label: `${typeof title === "string" && title !== "" ? title : name}${kind === "json" ? " (JSON)" : ""}`,
      hint: typeof description === "string" ? description : "",
      choices: isChoice ? (choices as unknown[]) : [],
      value,
    };
  });
}

function kindOf(type: unknown): Kind {
  switch (type) {
    case "string":
      return "text";
    case "number":
    case "integer":
    case "boolean":
      return type;
    default:
      return "json";
  }
}

function fits(kind: Kind, value: unknown): boolean {
  if (value === undefined || kind === "json" || kind === "choice") return true;
  if (kind === "text") return typeof value === "string";
  return typeof value === (kind === "boolean" ? "boolean" : "number");
}

const WRONG = Symbol("the typed text is not a value of this kind");

type Input = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

function fieldOf(prop: Prop): { box: HTMLElement; input: Input; typed: () => unknown } {
  const box = document.createElement("label");
  const name = document.createElement("span");
  name.dir = "auto";
  name.textContent = prop.label;
  const { input, typed } = inputOf(prop);
  box.className = prop.kind === "boolean" ? "choice" : "field";
  if (prop.kind === "boolean") box.append(input, name);
  else box.append(name, input);
  if (prop.hint !== "") {
    const hint = document.createElement("span");
    hint.className = "hint";
    hint.dir = "auto";
    hint.textContent = prop.hint;
    box.append(hint);
  }
  return { box, input, typed };
}

function inputOf({ kind, choices, value }: Prop): { input: Input; typed: () => unknown } {
  if (kind === "choice") {
    const input = document.createElement("select");
    // The option's value is the index, because two choices may have the same text.
    for (const [i, choice] of choices.entries())
      input.append(new Option(String(choice), String(i), false, choice === value));
    return { input, typed: () => choices[Number(input.value)] };
  }
  if (kind === "boolean") {
    const input = document.createElement("input");
    input.type = "checkbox";
    input.checked = value === true;
    return { input, typed: () => input.checked };
  }
  if (kind === "number" || kind === "integer") {
    const input = document.createElement("input");
    input.inputMode = kind === "integer" ? "numeric" : "decimal";
    input.value = value === undefined ? "" : String(value);
    return {
      input,
      typed: () => {
        if (input.value.trim() === "") return undefined;
        const number = Number(input.value);
        return Number.isFinite(number) && (kind === "number" || Number.isInteger(number)) ? number : WRONG;
      },
    };
  }
  const text = kind === "json" ? (JSON.stringify(value, null, 2) ?? "") : String(value ?? "");
  const isLong = kind === "json" || text.length > LONG_TEXT || text.includes("\n");
  const input = document.createElement(isLong ? "textarea" : "input");
  if (input instanceof HTMLTextAreaElement) input.rows = Math.min(10, Math.max(3, text.split("\n").length));
  input.dir = "auto";
  input.spellcheck = false;
  input.value = text;
  if (kind === "text") return { input, typed: () => input.value };
  return {
    input,
    typed: () => {
      if (input.value.trim() === "") return undefined;
      try {
        const read: unknown = JSON.parse(input.value);
        const isObject = typeof read === "object" && read !== null && !Array.isArray(read);
        return Object(value) === value && !Array.isArray(value) && !isObject ? WRONG : read;
      } catch {
        return WRONG;
      }
    },
  };
}
