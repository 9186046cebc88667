import type { TextareaHTMLAttributes } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/**
 * How many line numbers are in one text node. With one node for each line, or one for all lines, a browser lays out ten thousand lines too
 * slowly.
 */
const BLOCK = 500;

/** Shows a text field whose lines are numbered and never wrapped. */
export function NumberedText(props: TextareaHTMLAttributes) {
  const numbers = useRef<HTMLPreElement>(null);
  const text = useRef<HTMLTextAreaElement>(null);
  const [lines, setLines] = useState(1);

  const count = () => setLines(text.current?.value.split("\n").length ?? 1);
  // Count after each rendering, too: the form of a stage changes the text without an event.
  useLayoutEffect(count);

  function follow(): void {
    if (numbers.current && text.current) numbers.current.scrollTop = text.current.scrollTop;
  }
  return (
    <div class="numbered">
      <pre ref={numbers} aria-hidden="true">
        {Array.from({ length: Math.ceil(lines / BLOCK) }, (_, block) => (
          <span key={block}>{numbersOf(block * BLOCK, Math.min(lines, (block + 1) * BLOCK))}</span>
        ))}
      </pre>
      <textarea {...props} ref={text} class="code" wrap="off" dir="ltr" onInput={count} onScroll={follow} />
    </div>
  );
}

/** Returns the numbers after `before`, up to `last`. */
function numbersOf(before: number, last: number): string {
  return Array.from({ length: last - before }, (_, i) => before + i + 1).join("\n");
}
