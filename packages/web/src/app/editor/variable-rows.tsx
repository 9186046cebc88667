import { useRef } from "preact/hooks";
import { variableDescription, variableNames } from "./variables.ts";

/** Returns the name of the form field for the description of a variable. */
export const describedBy = (name: string): string => `variable ${name}`;

/** Shows the variables of the typed prompt, each with its description. */
export function VariableRows({ content, payload }: { content: string; payload: Record<string, unknown> }) {
  // An edit of the prompt may remove a variable for a moment. When the variable is back, its field shows the typed description again.
  const typed = useRef(new Map<string, string>());
  const names = variableNames(content, payload);
  return (
    <fieldset class="stack">
      <legend>Variables</legend>
      <p class="hint">
        {names.length > 0
          ? "They come from the prompt. Your description is shown beside the field where somebody fills in a value."
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
