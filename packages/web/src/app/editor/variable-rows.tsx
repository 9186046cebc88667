import { useRef } from "preact/hooks";
import { variableDescription, variableNames } from "./variables.ts";

/** The name of the field of a variable's description. */
export const describedBy = (name: string): string => `variable ${name}`;

/** The variables of a prompt as it is typed, each with its description. */
export function VariableRows({ content, payload }: { content: string; payload: Record<string, unknown> }) {
  // A name that is gone for a moment, while it is typed, comes back with its description.
  const typed = useRef(new Map<string, string>());
  const names = variableNames(content, payload);
  return (
    <fieldset class="stack">
      <legend>Variables</legend>
      <p class="hint">
        {names.length > 0
          ? "They follow the prompt. What you say of them stands beside the field where somebody fills them in."
          : "None yet. Write a name in two pairs of braces into the prompt: {{topic}}."}
      </p>
      {names.map((name) => (
        <label key={name} class="field">
          <span dir="auto">
            <code>{`{{${name}}}`}</code> description
          </span>
          <input
            name={describedBy(name)}
            defaultValue={typed.current.get(name) ?? variableDescription(name, payload)}
            onInput={({ currentTarget }) => typed.current.set(name, currentTarget.value)}
            dir="auto"
          />
        </label>
      ))}
    </fieldset>
  );
}
