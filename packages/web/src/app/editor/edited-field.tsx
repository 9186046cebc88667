import type { Field } from "./fields.ts";
import { NumberedText } from "./numbered-text.tsx";

interface Props {
  field: Field;
  value: unknown;
  /** The message to show if the typed text is not valid. */
  fault: string | undefined;
}

/** Shows an uncontrolled input, so that the typed text survives when the page is rendered again. */
export function EditedField({ field, value, fault }: Props) {
  const { key, label, kind, least, most, isWhole, suggestions, longest, mustBe } = field;
  const isJson = kind === "list" || kind === "object";
  const id = `field-${key}`;
  const shared = {
    id,
    name: key,
    defaultValue: textOf(value, isJson),
    "aria-invalid": fault ? ("true" as const) : undefined,
    "aria-describedby": fault ? `${id}-fault` : undefined,
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {kind === "number" ? (
        <input {...shared} type="number" min={least} max={most} step={isWhole ? 1 : 0.1} />
      ) : kind === "line" ? (
        <input
          {...shared}
          list={suggestions && `${id}-known`}
          maxLength={longest}
          required={mustBe !== undefined}
          dir="auto"
        />
      ) : isJson ? (
        <NumberedText {...shared} rows={8} spellcheck={false} />
      ) : (
        <textarea {...shared} class="code" rows={14} dir="auto" />
      )}
      {suggestions && (
        <datalist id={`${id}-known`}>
          {suggestions.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      {fault && (
        <p class="fault" id={`${id}-fault`} role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}

function textOf(value: unknown, isJson: boolean): string {
  if (value === null || value === undefined) return "";
  return isJson ? JSON.stringify(value, null, 2) : String(value);
}
