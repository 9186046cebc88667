import type { Rule } from "./rule.ts";

/** A place that tells what it does by how it is written, wherever values go. */
interface Phrase {
  id: string;
  /** One of these words stands in every file that has the phrase. */
  words: readonly string[];
  pattern: RegExp;
}

const ROWS: readonly Phrase[] = [
  // A function of `location` or of the browser that is handed on.
  {
    id: "redirect",
    words: ["location.", "location[", "sendBeacon", "document.write", "document.open"],
    pattern:
      /\b(?:location\s*(?:\??\.\s*|\[["'`])(?:assign|replace)|navigator\s*(?:\??\.\s*|\[["'`])sendBeacon|document\s*(?:\??\.\s*|\[["'`])(?:write|writeln|open))\b(?:["'`]\])?(?!\s*(?:\(|\?\.\(|[!=]==|=[^=>]|&&|\?[^.]|\)\s*\{|\)\s*return|\w|["'`]|<\/))/g,
  },
  // Members that are added to what everything is made from.
  {
    id: "eval",
    words: [".prototype"],
    pattern:
      /\b(?:Object|Array|String|Number|Function|RegExp|Promise|Map|Set|Node|Element|HTMLElement|EventTarget|Event|Date|Boolean|Symbol)\.prototype(?:\s+as\s+\w+\s*\)?|\))?\s*(?:\.\s*\w+|\[[^\]]{1,80}\])\s*(?:\?\?|\|\|)?=(?!=)/g,
  },
  // The window that a click stands for.
  {
    id: "redirect",
    words: [".view", "nativeEvent"],
    pattern:
      /\b(?:nativeEvent|event|evt|ev|e)\s*(?:!|\?)?(?:as\s+\w+\))?\.\s*view\b|\bnativeEvent\s*:\s*\{[^}]{0,80}\bview\b|Event\s*\)\.view\b/g,
  },
  // Timers that get their arguments by another way than a call.
  {
    id: "eval",
    words: ["setTimeout.", "setInterval."],
    pattern: /\bset(?:Timeout|Interval)\s*\.\s*(?:apply|call|bind)\(/g,
  },
  // Letters that are picked from a table by numbers.
  {
    id: "hidden-text",
    words: [".join("],
    pattern:
      /\.map\(\s*\(?\s*(\w{1,30})[^()=]{0,60}\)?\s*=>\s*\w+(?:\[\s*\1[^\]]{0,20}\]|\.(?:charAt|at)\(\s*\1[^)]{0,20}\))\s*\)\s*\.join\(\s*(?:""|\x27\x27|``)\s*\)/g,
  },
  // Elements that are the page's own, looked up so as to be changed.
  {
    id: "script-injection",
    words: ["querySelector"],
    pattern:
      /\b(?:querySelector(?:All)?|getElementsByTagName)\(\s*["'`](?:base|object|embed)(?![\w-])[^"'`]{0,40}["'`]\s*\)/g,
  },
  // All cookies, handed to something.
  {
    id: "external-request",
    words: ["document.cookie"],
    pattern:
      /\b(?:send|sendBeacon|postMessage|fetch|append|write|set|push)\((?:[^()]|\([^()]*\)){0,80}\bdocument\.cookie\b(?!\s*\.)/g,
  },
  // Styles that load something for one value of an attribute, in a text with parts that are not told.
  {
    id: "external-request",
    words: ["url("],
    pattern: /\[[\w-]+[\^$*|~]=["'$][^\n\]]{0,60}\][^\n]{0,100}url\(\s*["']?(?:https?:)?\/\//g,
  },
];

/** The rule of each row. */
export const PHRASES: readonly Rule[] = ROWS.map(({ id, words, pattern }) => ({
  id,
  severity: "low",
  onFile({ source, reportText }) {
    if (!words.some((word) => source.includes(word))) return;
    for (const { index, 0: found } of source.matchAll(pattern))
      reportText(id, "low", index, index + found.length);
  },
}));
