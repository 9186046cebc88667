import type { Scope } from "../program/scope.ts";
import type { Rule } from "./rule.ts";

/** A pattern of source text that is a finding by itself, whatever values it holds. */
interface Phrase {
  id: string;
  /** A file that has the phrase uses one name of each of these lists. */
  names: readonly (readonly string[])[];
  /** A text that stands in every such file. */
  text?: string;
  /** It is about what is written into a property, so that the file writes into one. */
  writes?: boolean;
  pattern: RegExp;
}

/** By one of these a file sends what it reads. */
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

const ROWS: readonly Phrase[] = [
  // A function of `location` or of the browser that is handed on.
  {
    id: "redirect",
    names: [
      ["location", "navigator", "document"],
      ["assign", "replace", "sendBeacon", "write", "writeln", "open"],
    ],
    pattern:
      /\b(?:location\s*(?:\??\.\s*|\[["'`])(?:assign|replace)|navigator\s*(?:\??\.\s*|\[["'`])sendBeacon|document\s*(?:\??\.\s*|\[["'`])(?:write|writeln|open))\b(?:["'`]\])?(?!\s*(?:\(|\?\.\(|[!=]==|=[^=>]|&&|\?[^.]|\)\s*\{|\)\s*return|\w|["'`]|<\/))/g,
  },
  // Members that are added to what everything is made from.
  {
    id: "eval",
    names: [["prototype"]],
    pattern:
      /\b(?:Object|Array|String|Number|Function|RegExp|Promise|Map|Set|Node|Element|HTMLElement|EventTarget|Event|Date|Boolean|Symbol)\.prototype(?:\s+as\s+\w+\s*\)?|\))?\s*(?:\.\s*\w+|\[[^\]]{1,80}\])\s*(?:\?\?|\|\|)?=(?!=)/g,
  },
  // The same, reached from something that is made of it.
  {
    id: "eval",
    names: [["getPrototypeOf"]],
    pattern:
      /\b(\w{1,30})\s{0,3}(?::\s{0,3}\w{1,30}\s{0,3})?=\s{0,3}(?:Object|Reflect)\.getPrototypeOf\((?!this\b)[\s\S]{0,400}?(?:\b\1(?:\.\w+|\[[^\]\n]{1,40}\])\s{0,3}=(?!=)|\b(?:definePropert(?:y|ies)|assign|set)\(\s{0,3}\1\s{0,3},)|\b(?:Object|Reflect)\.getPrototypeOf\((?!this\b)[^;\n]{1,80}\)(?:\.\w+|\[[^\]\n]{1,40}\])\s{0,3}=(?![=>])/g,
  },
  // The window that a click stands for.
  {
    id: "redirect",
    names: [["view"]],
    pattern:
      /\b(?:nativeEvent|event|evt|ev|e)\s*(?:!|\?)?(?:as\s+\w+\))?\.\s*view\b|\bnativeEvent\s*:\s*\{[^}]{0,80}\bview\b|Event\s*\)\.view\b/g,
  },
  // Timers that get their arguments by another way than a call.
  {
    id: "eval",
    names: [
      ["setTimeout", "setInterval"],
      ["apply", "call", "bind"],
    ],
    pattern: /\bset(?:Timeout|Interval)\s*\.\s*(?:apply|call|bind)\(/g,
  },
  // Letters that are picked from a table by numbers.
  {
    id: "hidden-text",
    names: [["map"], ["join"]],
    pattern:
      /\.map\(\s*\(?\s*(\w{1,30})[^()=]{0,60}\)?\s*=>\s*\w+(?:\[\s*\1[^\]]{0,20}\]|\.(?:charAt|at)\(\s*\1[^)]{0,20}\))\s*\)\s*\.join\(\s*(?:""|\x27\x27|``)\s*\)/g,
  },
  // Elements that are the page's own, looked up so as to be changed.
  {
    id: "script-injection",
    names: [["querySelector", "querySelectorAll", "getElementsByTagName"]],
    pattern:
      /\b(?:querySelector(?:All)?|getElementsByTagName)\(\s*["'`](?:base|object|embed)(?![\w-])[^"'`]{0,40}["'`]\s*\)/g,
  },
  // All cookies, handed to something.
  {
    id: "external-request",
    names: [["cookie"]],
    pattern:
      /\b(?:send|sendBeacon|postMessage|fetch|append|write|set|push)\((?:[^()]|\([^()]*\)){0,80}\bdocument\.cookie\b(?!\s*\.)/g,
  },
  // Methods of elements and requests that are called on something else than what they were read from.
  {
    id: "eval",
    names: [["call", "apply", "bind"]],
    pattern:
      /(?<!\bthis|\bsuper|\bObject)\.\s*(?:click|submit|requestSubmit|open|send|setAttribute|appendChild|insertBefore|append|write|writeln|assign|postMessage|dispatchEvent|createElement|fetch|setRequestHeader|replaceWith|prepend|after|before)\s*\??\.\s*(?:call|apply|bind)\(/g,
  },
  // Classes of the page, whose methods are taken off or changed.
  {
    id: "eval",
    names: [["prototype"]],
    pattern:
      /\b(?:HTML(?!(?:Input|TextArea|Select)Element\.prototype(?!\s*\.))\w*|SVG\w*|CSS\w*|Element|Node|Document|Window|EventTarget|Location|History|Navigator|XMLHttpRequest|Storage|Response|Request|Headers|FormData|WebSocket|Range|DOMParser|ShadowRoot|Attr|CharacterData|Worker)\.prototype\b|\bFunction\.prototype\.(?:call|apply)\.(?:call|apply)\(/g,
  },
  // A function in place of one of the page's.
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
  // Code behind a property of the page, or of what everything is made from.
  {
    id: "eval",
    names: [["defineProperty", "defineProperties"]],
    pattern:
      /\bdefinePropert(?:y|ies)\(\s*\(?(?:window|document|navigator|location|globalThis|self|history|console|JSON|Object|Array|String|(?<own>[\w.]+)\.prototype)\b/g,
  },
  // What a loop or a pattern writes into a property.
  {
    id: "hidden-text",
    names: [],
    writes: true,
    pattern:
      /\bfor\s*(?:await\s*)?\(\s*(?!(?:const|let|var)\b)[\w$.?!]+(?:\.\w+|\[[^\]]{1,40}\])\s+(?:of|in)\s/g,
  },
  // Attributes that are named one by one.
  { id: "hidden-text", names: [["fromEntries"]], pattern: /\bfromEntries\(\s*\[\s*\[/g },
  // Another compiler of JSX, and other sources of the file.
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
  // An address that somebody put into the address of the page so as to be led there.
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
  // The outermost of what an event passes: the window.
  {
    id: "redirect",
    names: [["composedPath"]],
    pattern:
      /\bcomposedPath\(\)\s*(?:\.\s*(?:at\(\s*-|pop\(|slice\(\s*-|reverse|findLast|find\()|\[\s*\w*\.)/g,
  },
  // A step back that leads to where it was.
  {
    id: "redirect",
    names: [["pushState"], ["popstate", "onpopstate"], ["addEventListener", "onpopstate"]],
    pattern: /\bhistory\s*\??\.\s*pushState\(/g,
  },
  // What is copied is replaced.
  {
    id: "hidden-text",
    names: [["clipboardData"], ["setData"]],
    pattern: /\bclipboardData\b[!?]*\s*\.\s*setData\(/g,
  },
  // A class of a style that loads something.
  {
    id: "external-request",
    names: [],
    text: "[url(",
    pattern: /\[url\(\s*["']?(?:https?:)?\/\//g,
  },
  // An animation that changes where something leads, or what it loads or runs.
  {
    id: "script-injection",
    names: [["attributeName"]],
    pattern:
      /\battributeName\s*(?:=\s*\{?\s*|:\s*)["'`](?:href|xlink:href|src|on\w+|action|formaction)["'`]/gi,
  },
  // What is written, pressed, chosen or pasted anywhere on the page, in a file that sends something.
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
  // Fields with secrets that are looked up, and those that are put where nobody sees them.
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
  // What React keeps in elements.
  {
    id: "external-request",
    names: [],
    text: "__react",
    pattern: /__react(?:Props|Fiber|Internal|Event|Container)/g,
  },
  // The address of a script of another host, whoever is given it.
  {
    id: "script-injection",
    names: [],
    text: "//",
    pattern:
      /\/\/(?<=(?:[([,]|\bsrc\s*:)\s*["'`](?:https?:)?\/\/)[^"'`\s?#]{1,200}\.(?:[mc]?js|wasm)(?:[?#][^"'`\s]{0,200})?["'`]/g,
  },
  // Properties that an object names, one after the other.
  {
    id: "script-injection",
    names: [["entries"]],
    pattern:
      /\(\s*(?:const\s*|let\s*|\()\[\s*(\w{1,30})\s*,\s*(\w{1,30})\s*\](?:\s*of\s[^;{]{0,80}\)|\)\s*=>)\s*\{?\s*\(?(?:[\w$]+[!?]*\.)*(?:current|el|elem|element|node|target|dom|ref|frame|iframe|img|link|tag)[!?]*(?:\s+as\s+\w+\))?\[\s*\1\b[^\]]{0,30}\]\s*=\s*\2\b/g,
  },
  // The page's own objects, handed to what finds a member by its path.
  {
    id: "eval",
    names: [["window", "globalThis", "self", "document", "location"]],
    pattern:
      /(?:\b(?:window|globalThis|self|document|location)(?<=\w\(\s*\w+)\s*,\s*[["'`][^)]{0,20}\b(?:location|eval|Function|fetch|cookie|open|write|setTimeout)\b|\[(?<=\w\(\[)[^)\]]{0,20}\b(?:location|eval|Function|fetch|cookie|open|write)["'`][^)\]]{0,20}\]\s*,\s*(?:window|globalThis|self|document)\b)/g,
  },
  // A click that is made of an event of the old kind.
  {
    id: "redirect",
    names: [["initEvent", "initMouseEvent", "initUIEvent"], ["dispatchEvent"]],
    pattern: /\binit(?:Mouse|UI)?Event\(\s*["'`](?:click|submit)["'`]/g,
  },
  // A window that is opened behind this one.
  {
    id: "redirect",
    names: [["blur"], ["focus"]],
    pattern: /\.blur\(\)[;,\s]{1,20}(?:window|self)\.focus\(/g,
  },
  // Markup that libraries let pass as it is.
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
  // The scripts of the page, looked up so as to be copied or changed.
  {
    id: "script-injection",
    names: [["querySelector", "querySelectorAll", "getElementsByTagName"]],
    pattern:
      /\b(?:querySelector(?:All)?|getElementsByTagName)\(\s*["'`]script\b[^"'`]{0,60}["'`]\s*\)\s*(?:\[0\])?[!?]*\s*\.\s*(?:cloneNode|src|text|textContent|innerHTML|setAttribute|after|before|replaceWith|insertAdjacent\w+)\b/g,
  },
  // The address of a window that is not named.
  {
    id: "redirect",
    names: [["location"], ["assign", "replace"]],
    pattern:
      /(?<!\b(?:window|document|self|top|parent|globalThis|this|props|history|router))\s*[!?]*\.\s*location\s*[!?]*\.\s*(?:assign|replace)\(/g,
  },
  // Elements that are made as data says.
  {
    id: "script-injection",
    names: [["createElement", "h", "jsx"]],
    pattern:
      /\b(?:createElement|h|jsxs?)\(\s*\w+\.(?:type|tag|name|component|as)\s*,\s*(?:\w+\.|\{\s*\.\.\.\w+\.)(?:props|attrs|attributes)\b/g,
  },
  // Styles that load something for one value of an attribute, in a text with parts that are not told.
  {
    id: "external-request",
    names: [],
    text: "url(",
    pattern: /\[[\w-]+[\^$*|~]=["'$][^\n\]]{0,60}\][^\n]{0,100}url\(\s*["']?(?:https?:)?\/\//g,
  },
];

/** Whether the file declares a class of this name, and nothing else. */
function isOwnClass(root: Scope, name = ""): boolean {
  const definitions = root.names?.get(name)?.definitions;
  return definitions?.every((one) => one.how === "value" && one.node.type === "ClassDeclaration") ?? false;
}

/** All rows, as one rule: most files have nothing that any of them is about. */
export const phrases: Rule = {
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
