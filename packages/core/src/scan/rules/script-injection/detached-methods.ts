import type { Rule } from "../rule.ts";

/** Methods that leave the page or send something, detached from their prototype. */
const BORROWED =
  /\.prototype\s*(?:\??\.\s*|\[\s*["'`])(?:click|submit|requestSubmit|sendBeacon|setAttribute(?:NS)?|insertAdjacentHTML|dispatchEvent|send|open|writeln?)\b/g;

export const borrowed: Rule = {
  id: "script-injection",
  severity: "medium",
  onFile({ source, interpreter, reportText }) {
    if (!interpreter.program.prototypes) return;
    for (const { index, 0: found } of source.matchAll(BORROWED))
      reportText("script-injection", "medium", index, index + found.length);
  },
};
