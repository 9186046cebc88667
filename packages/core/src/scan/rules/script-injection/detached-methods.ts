import type { Rule } from "../rule.ts";

/** Methods that leave the page or send something, detached from their prototype. */
const DETACHED_METHOD =
  /\.prototype\s*(?:\??\.\s*|\[\s*["'`])(?:click|submit|requestSubmit|sendBeacon|setAttribute(?:NS)?|insertAdjacentHTML|dispatchEvent|send|open|writeln?)\b/g;

export const detachedMethods: Rule = {
  id: "script-injection",
  severity: "medium",
  onFile({ source, interpreter, reportText }) {
    if (!interpreter.program.readsPrototype) return;
    for (const { index, 0: found } of source.matchAll(DETACHED_METHOD))
      reportText("script-injection", "medium", index, index + found.length);
  },
};
