/** How many colours styles/layout.css has for people. */
const COLOURS = 6;

/** The first letter of a name in a circle of its colour: a face for people without a picture. */
export function Initial({ of: name, large }: { of: string; large?: boolean }) {
  let sum = 0;
  for (const letter of name) sum += letter.codePointAt(0) ?? 0;
  return (
    <span class={`initial person-${sum % COLOURS}${large ? " avatar" : ""}`} aria-hidden="true">
      {[...name][0]?.toUpperCase()}
    </span>
  );
}
