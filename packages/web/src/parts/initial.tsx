/** The number of colours for people in styles/layout.css. */
const COLOURS = 6;

/** Shows the first letter of a name in a coloured circle, for people without a picture. The colour depends on the name. */
export function Initial({ of: name, large }: { of: string; large?: boolean }) {
  let sum = 0;
  for (const letter of name) sum += letter.codePointAt(0) ?? 0;
  return (
    <span class={`initial person-${sum % COLOURS}${large ? " avatar" : ""}`} aria-hidden="true">
      {[...name][0]?.toUpperCase()}
    </span>
  );
}
