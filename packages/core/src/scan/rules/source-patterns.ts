import type { Scope } from "../program/scope.ts";
import type { Rule } from "./rule.ts";

/** A pattern of source text that is a finding on its own, whatever its values are. */
interface SourcePattern {
  id: string;
  /** A file with the phrase uses at least one name from each of these lists. */
  names: readonly (readonly string[])[];
  /** A string that every such file contains. */
  text?: string;
  /** The phrase is about a write to a property, so the file must contain one. */
  writes?: boolean;
  pattern: RegExp;
}

/** Functions by which a file sends data. */
const SENDING = [
  "fetch",
  "WebSocket",
  "EventSource",
  "sendBeacon",
  "XMLHttpRequest",
  "Image",
  "axios",
  "postMessage",
];

const ROWS: readonly SourcePattern[] = [
  // A function of `location` or of the browser that is passed on.
  {
    id: "redirect",
    names: [
      ["location", "navigator", "document"],
      ["assign", "replace", "sendBeacon", "write", "writeln", "open"],
    ],
    pattern:
      /\b(?:location\s*(?:\??\.\s*|\[["'`])(?:assign|replace)|navigator\s*(?:\??\.\s*|\[["'`])sendBeacon|document\s*(?:\??\.\s*|\[["'`])(?:write|writeln|open))\b(?:["'`]\])?(?!\s*(?:\(|\?\.\(|[!=]==|=[^=>]|&&|\?[^.]|\)\s*\{|\)\s*return|\w|["'`]|<\/))/g,
  },
  // Members that are added to built-in prototypes.
  {
    id: "eval",
    names: [["prototype"]],
    pattern:
      /\b(?:Object|Array|String|Number|Function|RegExp|Promise|Map|Set|Node|Element|HTMLElement|EventTarget|Event|Date|Boolean|Symbol)\.prototype(?:\s+as\s+\w+\s*\)?|\))?\s*(?:\.\s*\w+|\[[^\]]{1,80}\])\s*(?:\?\?|\|\|)?=(?!=)/g,
  },
  // The same, reached through `getPrototypeOf`.
  {
    id: "eval",
    names: [["getPrototypeOf"]],
    pattern:
      /\b(\w{1,30})\s{0,3}(?::\s{0,3}\w{1,30}\s{0,3})?=\s{0,3}(?:Object|Reflect)\.getPrototypeOf\((?!this\b)[\s\S]{0,400}?(?:\b\1(?:\.\w+|\[[^\]\n]{1,40}\])\s{0,3}=(?!=)|\b(?:definePropert(?:y|ies)|assign|set)\(\s{0,3}\1\s{0,3},)|\b(?:Object|Reflect)\.getPrototypeOf\((?!this\b)[^;\n]{1,80}\)(?:\.\w+|\[[^\]\n]{1,40}\])\s{0,3}=(?![=>])/g,
  },
  // The window of an event: `event.view`.
  {
    id: "redirect",
    names: [["view"]],
    pattern:
      /\b(?:nativeEvent|event|evt|ev|e)\s*(?:!|\?)?(?:as\s+\w+\))?\.\s*view\b|\bnativeEvent\s*:\s*\{[^}]{0,80}\bview\b|Event\s*\)\.view\b/g,
  },
  // Timers that are called through `apply`, `call` or `bind`.
  {
    id: "eval",
    names: [
      ["setTimeout", "setInterval"],
      ["apply", "call", "bind"],
    ],
    pattern: /\bset(?:Timeout|Interval)\s*\.\s*(?:apply|call|bind)\(/g,
  },
  // Letters that are picked from a table by index.
  {
    id: "hidden-text",
    names: [["map"], ["join"]],
    pattern:
      /\.map\(\s*\(?\s*(\w{1,30})[^()=]{0,60}\)?\s*=>\s*\w+(?:\[\s*\1[^\]]{0,20}\]|\.(?:charAt|at)\(\s*\1[^)]{0,20}\))\s*\)\s*\.join\(\s*(?:""|\x27\x27|``)\s*\)/g,
  },
  // `base`, `object` and `embed` elements of the page, looked up to be changed.
  {
    id: "script-injection",
    names: [["querySelector", "querySelectorAll", "getElementsByTagName"]],
    pattern:
      /\b(?:querySelector(?:All)?|getElementsByTagName)\(\s*["'`](?:base|object|embed)(?![\w-])[^"'`]{0,40}["'`]\s*\)/g,
  },
  // All cookies, passed to a function.
  {
    id: "external-request",
    names: [["cookie"]],
    pattern:
      /\b(?:send|sendBeacon|postMessage|fetch|append|write|set|push)\((?:[^()]|\([^()]*\)){0,80}\bdocument\.cookie\b(?!\s*\.)/g,
  },
  // Methods of elements and requests that are called on an object other than their own.
  {
    id: "eval",
    names: [["call", "apply", "bind"]],
    pattern:
      /(?<!\bthis|\bsuper|\bObject)\.\s*(?:click|submit|requestSubmit|open|send|setAttribute|appendChild|insertBefore|append|write|writeln|assign|postMessage|dispatchEvent|createElement|fetch|setRequestHeader|replaceWith|prepend|after|before)\s*\??\.\s*(?:call|apply|bind)\(/g,
  },
  // Classes of the page, whose methods are detached or changed.
  {
    id: "eval",
    names: [["prototype"]],
    pattern:
      /\b(?:HTML(?!(?:Input|TextArea|Select)Element\.prototype(?!\s*\.))\w*|SVG\w*|CSS\w*|Element|Node|Document|Window|EventTarget|Location|History|Navigator|XMLHttpRequest|Storage|Response|Request|Headers|FormData|WebSocket|Range|DOMParser|ShadowRoot|Attr|CharacterData|Worker)\.prototype\b|\bFunction\.prototype\.(?:call|apply)\.(?:call|apply)\(/g,
  },
  // A function that replaces one of the page's.
  {
    id: "eval",
    names: [
      [
        "window",
        "globalThis",
        "self",
        "document",
        "navigator",
        "history",
        "console",
        "JSON",
        "Storage",
        "Math",
        "Object",
      ],
    ],
    writes: true,
    pattern:
      /\b(?:window|globalThis|self|document|navigator|history|console|JSON|localStorage|sessionStorage|Math|Object|Array|Promise)(?:\s+as\s+\w+\))?\s*(?:\.\s*|\[["'`])(?:fetch|open|alert|confirm|prompt|XMLHttpRequest|WebSocket|EventSource|addEventListener|write|createElement|getElementById|querySelector|pushState|replaceState|log|warn|error|stringify|parse|getItem|setItem|assign|keys|setTimeout|setInterval|Promise|Function|eval|sendBeacon|onerror)(?:["'`]\])?\s*=(?![=>])/g,
  },
  // Code behind a property of the page or of a prototype.
  {
    id: "eval",
    names: [["defineProperty", "defineProperties"]],
    pattern:
      /\bdefinePropert(?:y|ies)\(\s*\(?(?:window|document|navigator|location|globalThis|self|history|console|JSON|Object|Array|String|(?<own>[\w.]+)\.prototype)\b/g,
  },
  // A loop that writes to a property.
  {
    id: "hidden-text",
    names: [],
    writes: true,
    pattern:
      /\bfor\s*(?:await\s*)?\(\s*(?!(?:const|let|var)\b)[\w$.?!]+(?:\.\w+|\[[^\]]{1,40}\])\s+(?:of|in)\s/g,
  },
  // Attributes that are built from a list of entries.
  { id: "hidden-text", names: [["fromEntries"]], pattern: /\bfromEntries\(\s*\[\s*\[/g },
  // Another JSX factory, and a source map of another host.
  {
    id: "eval",
    names: [],
    text: "@jsx",
    pattern:
      /@jsx(?:ImportSource\s+(?:https?:|data:|blob:|\/\/)|Frag\s+(?!React\b|Fragment\b|h\b|null\b|\w+\.Fragment\b|"|')|\s+(?:\w+\.)*(?:Function|eval|import|fetch|document|window|globalThis|constructor|write|open|setTimeout)\b)/g,
  },
  {
    id: "external-request",
    names: [],
    text: "sourceMappingURL=",
    pattern: /sourceMappingURL=\s*(?:https?:)?\/\/\S+/g,
  },
  // A redirect to an address that a parameter of the page's URL contains.
  {
    id: "redirect",
    names: [
      ["get"],
      [
        "redirect",
        "redirectDocument",
        "push",
        "replace",
        "navigate",
        "assign",
        "href",
        "location",
        "useNavigate",
        "useRouter",
      ],
    ],
    pattern:
      /(?:[pP]arams|[qQ]uery|\(\s*(?:window\.)?location\.(?:search|href)\s*\)(?:\.searchParams)?|\bsp|\bqs)\s*!?\??\.\s*get\(\s*["'`](?:redirect\w*|next\w*|return\w*|callback\w*|continue\w*|go(?:to)?|dest\w*|target\w*|url|uri|link|back\w*|forward\w*|r|u|to|from|path)["'`]\s*\)(?!\s+as\s+\w+\)\s*\|\|\s*["'`][a-z-]+["'`])/g,
  },
  // The last item of an event's path: the window.
  {
    id: "redirect",
    names: [["composedPath"]],
    pattern:
      /\bcomposedPath\(\)\s*(?:\.\s*(?:at\(\s*-|pop\(|slice\(\s*-|reverse|findLast|find\()|\[\s*\w*\.)/g,
  },
  // A history entry that keeps the back button on the page.
  {
    id: "redirect",
    names: [["pushState"], ["popstate", "onpopstate"], ["addEventListener", "onpopstate"]],
    pattern: /\bhistory\s*\??\.\s*pushState\(/g,
  },
  // Copied text that is replaced.
  {
    id: "hidden-text",
    names: [["clipboardData"], ["setData"]],
    pattern: /\bclipboardData\b[!?]*\s*\.\s*setData\(/g,
  },
  // A class name with a style that loads something.
  {
    id: "external-request",
    names: [],
    text: "[url(",
    pattern: /\[url\(\s*["']?(?:https?:)?\/\//g,
  },
  // An animation that changes a link, the address of a load, or a handler.
  {
    id: "script-injection",
    names: [["attributeName"]],
    pattern:
      /\battributeName\s*(?:=\s*\{?\s*|:\s*)["'`](?:href|xlink:href|src|on\w+|action|formaction)["'`]/gi,
  },
  // Input, keys, selections and pasted text of the whole page, in a file that sends data.
  {
    id: "external-request",
    names: [["addEventListener"], SENDING],
    pattern:
      /\baddEventListener\(\s*["'`](?:input|beforeinput|paste|copy|cut|selectionchange|keypress|keyup|change|submit|formdata|focusin|blur)["'`]/g,
  },
  {
    id: "external-request",
    names: [["key"], SENDING],
    pattern: /(?:\+=\s*|\bpush\(\s*|\bconcat\(\s*)(?:\w+\.)?(?:nativeEvent\.)?key\b(?!\s*[(:])/g,
  },
  // Fields with secrets that are looked up, and those that are moved out of sight.
  {
    id: "external-request",
    names: [["querySelector", "querySelectorAll", "matches", "closest"]],
    pattern:
      /\[\s*(?:type|autocomplete|name)\s*[*^~|$]?=\s*\\?["']?(?:password|cc-|current-password|new-password|card|cvc|cvv|otp|csrf|token|one-time)/gi,
  },
  {
    id: "external-request",
    names: [["autoComplete", "autocomplete"]],
    pattern: /\b(?:left|top|right|bottom|textIndent|marginLeft)\s*:\s*["'`]?-\d{4,}/g,
  },
  // Data that React stores in elements.
  {
    id: "external-request",
    names: [],
    text: "__react",
    pattern: /__react(?:Props|Fiber|Internal|Event|Container)/g,
  },
  // The address of a script of another host, whatever its use.
  {
    id: "script-injection",
    names: [],
    text: "//",
    pattern:
      /\/\/(?<=(?:[([,]|\bsrc\s*:)\s*["'`](?:https?:)?\/\/)[^"'`\s?#]{1,200}\.(?:[mc]?js|wasm)(?:[?#][^"'`\s]{0,200})?["'`]/g,
  },
  // Properties of an element that a loop sets from the entries of an object.
  {
    id: "script-injection",
    names: [["entries"]],
    pattern:
      /\(\s*(?:const\s*|let\s*|\()\[\s*(\w{1,30})\s*,\s*(\w{1,30})\s*\](?:\s*of\s[^;{]{0,80}\)|\)\s*=>)\s*\{?\s*\(?(?:[\w$]+[!?]*\.)*(?:current|el|elem|element|node|target|dom|ref|frame|iframe|img|link|tag)[!?]*(?:\s+as\s+\w+\))?\[\s*\1\b[^\]]{0,30}\]\s*=\s*\2\b/g,
  },
  // The page's own objects, passed to a function that reads a member by its path.
  {
    id: "eval",
    names: [["window", "globalThis", "self", "document", "location"]],
    pattern:
      /(?:\b(?:window|globalThis|self|document|location)(?<=\w\(\s*\w+)\s*,\s*[["'`][^)]{0,20}\b(?:location|eval|Function|fetch|cookie|open|write|setTimeout)\b|\[(?<=\w\(\[)[^)\]]{0,20}\b(?:location|eval|Function|fetch|cookie|open|write)["'`][^)\]]{0,20}\]\s*,\s*(?:window|globalThis|self|document)\b)/g,
  },
  // A click by an event that `initEvent` prepared.
  {
    id: "redirect",
    names: [["initEvent", "initMouseEvent", "initUIEvent"], ["dispatchEvent"]],
    pattern: /\binit(?:Mouse|UI)?Event\(\s*["'`](?:click|submit)["'`]/g,
  },
  // A popup that is opened behind this window.
  {
    id: "redirect",
    names: [["blur"], ["focus"]],
    pattern: /\.blur\(\)[;,\s]{1,20}(?:window|self)\.focus\(/g,
  },
  // Options by which libraries let markup pass unchanged.
  {
    id: "script-injection",
    names: [
      [
        "allowDangerousHtml",
        "securityLevel",
        "escapeHtml",
        "skipHtml",
        "ADD_TAGS",
        "ADD_ATTR",
        "allowedTags",
        "ALLOW_UNKNOWN_PROTOCOLS",
      ],
    ],
    pattern:
      /\ballowDangerousHtml\s*:\s*true|\bsecurityLevel\s*:\s*["']loose["']|\b(?:escapeHtml|skipHtml)=\{false\}|\bADD_(?:TAGS|ATTR)\s*:|\ballowedTags\s*:\s*false|\bALLOW_UNKNOWN_PROTOCOLS\s*:\s*true/g,
  },
  // The scripts of the page, looked up to be copied or changed.
  {
    id: "script-injection",
    names: [["querySelector", "querySelectorAll", "getElementsByTagName"]],
    pattern:
      /\b(?:querySelector(?:All)?|getElementsByTagName)\(\s*["'`]script\b[^"'`]{0,60}["'`]\s*\)\s*(?:\[0\])?[!?]*\s*\.\s*(?:cloneNode|src|text|textContent|innerHTML|setAttribute|after|before|replaceWith|insertAdjacent\w+)\b/g,
  },
  // The `location` of an unknown window.
  {
    id: "redirect",
    names: [["location"], ["assign", "replace"]],
    pattern:
      /(?<!\b(?:window|document|self|top|parent|globalThis|this|props|history|router))\s*[!?]*\.\s*location\s*[!?]*\.\s*(?:assign|replace)\(/g,
  },
  // Elements whose tag and properties come from data.
  {
    id: "script-injection",
    names: [["createElement", "h", "jsx"]],
    pattern:
      /\b(?:createElement|h|jsxs?)\(\s*\w+\.(?:type|tag|name|component|as)\s*,\s*(?:\w+\.|\{\s*\.\.\.\w+\.)(?:props|attrs|attributes)\b/g,
  },
  // Styles that load something for one value of an attribute, in a string with unknown parts.
  {
    id: "external-request",
    names: [],
    text: "url(",
    pattern: /\[[\w-]+[\^$*|~]=["'$][^\n\]]{0,60}\][^\n]{0,100}url\(\s*["']?(?:https?:)?\/\//g,
  },
];

/** Whether this name is a class of the file, and nothing else. */
function isOwnClass(root: Scope, name = ""): boolean {
  const definitions = root.names?.get(name)?.definitions;
  return definitions?.every((one) => one.how === "value" && one.node.type === "ClassDeclaration") ?? false;
}

/** All rows, as one rule: in most files no row can match. */
export const sourcePatterns: Rule = {
  id: "hidden-text",
  severity: "low",
  onFile({ source, interpreter, reportText }) {
    const { names: used, memberWrites, root } = interpreter.program;
    const isUsed = (name: string) => used.has(name);
    for (const { id, names, text, writes, pattern } of ROWS) {
      if (writes && memberWrites.length === 0) continue;
      if (!names.every((some) => some.some(isUsed))) continue;
      if (text !== undefined && !source.includes(text)) continue;
      for (const { index, 0: found, groups } of source.matchAll(pattern))
        if (!isOwnClass(root, groups?.own)) reportText(id, "low", index, index + found.length);
    }
  },
};
