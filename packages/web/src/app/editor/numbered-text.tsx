import type { TextareaHTMLAttributes } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/**
 * The number of line numbers in one text node. With one node for each line, or one node for all lines, a browser needs too long to lay out
 * ten thousand lines.
 */
const BLOCK = 500;

/** Shows a text field whose lines are numbered and never wrapped. */
export function NumberedText(props: TextareaHTMLAttributes) {
  const numbers = useRef<HTMLPreElement>(null);
  const text = useRef<HTMLTextAreaElement>(null);
  const [lines, setLines] = useState(1);

  const count = () => setLines(text.current?.value.split("\n").length ?? 1);
  // The lines are counted after each rendering, too: the form for a pipeline's stage changes the text without an input event.
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

/** Returns the line numbers from `before` + 1 to `last`, one a line. */
function numbersOf(before: number, last: number): string {
  return Array.from({ length: last - before }, (_, i) => before + i + 1).join("\n");
}
