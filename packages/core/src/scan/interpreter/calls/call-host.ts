import { type Builtin, list } from "../builtins/builtin.ts";
import { OBJECT_FUNCTIONS } from "../builtins/objects.ts";
import { TEXT_FUNCTIONS } from "../builtins/text.ts";
import type { Interpreter } from "../interpreter.ts";
import { deepTaint } from "../members/deep-taint.ts";
import { hostTaint } from "../members/hosts.ts";
import { add, asText, stringOf } from "../text/text.ts";
import {
  constant,
  each,
  either,
  HOLE,
  host,
  PRIVATE,
  REMOTE,
  text,
  UNKNOWN,
  unknown,
  type Value,
} from "../value.ts";
import type { Arguments } from "./invocation.ts";

/** Functions of the page and of modules. */
const PAGE_FUNCTIONS: Record<string, Builtin> = {
  require: (_interpreter, _args, first) => moduleOf(first),
  import: (_interpreter, _args, first) => moduleOf(first),
  "document.createElementNS": (_interpreter, args) => elementNamed(args[1] ?? UNKNOWN),
  "Function().": () => host(""),
  "URL.createObjectURL": () => text(`blob:${HOLE}`),
  open: () => host("open()"),
  "DOMParser().parseFromString": () => host("DOMParser().document"),
  "URL.parse": (_interpreter, args, first) =>
    args[1] === undefined ? stringOf(first) : add(stringOf(args[1]), stringOf(first)),
  "caches.open": () => host("caches.open()"),
  fetch: () => unknown(REMOTE),
  $: () => UNKNOWN,
  jQuery: () => UNKNOWN,
};

/** Factories and instances of request libraries: a member of the result is a member of the library. */
const SAME = /^npm:(?:axios\.create|ky\.(?:create|extend)|got\.extend|superagent\.agent|ofetch\.create)$/;

/** React's hooks store or call their arguments. */
const HOOKS: Record<string, Builtin> = {
  createContext: (_interpreter, _args, first) => ({
    kind: "record",
    entries: new Map([["@@context", first]]),
  }),
  useRef: (_interpreter, _args, first) => ({ kind: "record", entries: new Map([["current", first]]) }),
  useState: (interpreter, _args, first) =>
    list([either([first.kind === "function" ? interpreter.call(first, () => []) : first, UNKNOWN]), UNKNOWN]),
  useContext: (interpreter, _args, first) => interpreter.member(first, "@@context"),
  useMemo: (interpreter, _args, first) => interpreter.call(first, () => []),
  useCallback: (_interpreter, _args, first) => first,
  useEffectEvent: (_interpreter, _args, first) => first,
};
const HOOK = /(?:^|\.)(use\w+|createContext)$/;

/** Paths with a meaning although no builtin here implements them. */
const SPECIAL = /^npm:|^(?:Function|eval|URL)$|\.(?:then|toString|valueOf)$/;
let builtins: Map<string, Builtin> | undefined;

/** Built on first use, as the modules of the tables import one another. */
function builtinOf(path: string): Builtin | undefined {
  builtins ??= new Map(Object.entries({ ...TEXT_FUNCTIONS, ...OBJECT_FUNCTIONS, ...PAGE_FUNCTIONS }));
  return builtins.get(path);
}

/** The result of calling a function of the browser or of a package. */
export function callHost(interpreter: Interpreter, path: string, lazy: Arguments): Value {
  if (path.endsWith("__lookupSetter__") || path.endsWith("__lookupGetter__"))
    return accessorOf(host(path.slice(0, -17)), path.slice(-16), lazy()[0] ?? UNKNOWN);
  if (path === "document.createTextNode" || path === "document.createComment")
    return textNode(interpreter, lazy()[0]);
  if (path.endsWith(".createElement")) return elementNamed(lazy(1)[0] ?? UNKNOWN);
  const builtin = builtinOf(path);
  if (builtin !== undefined) {
    // A builtin without parameters returns the same for any arguments.
    const args = builtin.length === 0 ? [] : lazy();
    return builtin(interpreter, args, args[0] ?? constant(undefined));
  }
  const hook = HOOKS[HOOK.exec(path)?.[1] ?? ""];
  if (hook === undefined && !SPECIAL.test(path))
    return unknown(hostTaint(path) | privateTaint(interpreter, lazy));
  const args = lazy();
  const first = args[0] ?? constant(undefined);
  if (hook !== undefined) return hook(interpreter, args, first);
  if (path.endsWith(".then"))
    return args[0] === undefined ? UNKNOWN : interpreter.call(args[0], () => [host(path.slice(0, -5))]);
  if (path === "Function" || path === "eval") return codeResult(path, args);
  if (SAME.test(path)) return host(path.slice(0, path.indexOf(".")));
  if (path === "URL" || path.endsWith(".toString") || path.endsWith(".valueOf"))
    return stringOf(
      host(path.endsWith(")") || !path.includes(".") ? path : path.slice(0, path.lastIndexOf("."))),
    );
  if (path.startsWith("npm:") && /\b(?:fetch|axios|ky|got)\b/.test(path)) return unknown(REMOTE);
  return unknown(hostTaint(path));
}

/** Values computed from cookies or storage keep the taint PRIVATE. */
export function privateTaint(interpreter: Interpreter, lazy: Arguments): number {
  if (!interpreter.private) return 0;
  return lazy().reduce((taint, arg) => taint | (deepTaint(interpreter, arg) & PRIVATE), 0);
}

const PAGE_NAMES = new Set(["this", "window", "self", "globalThis", "document", "location"]);

/** `Function("return this")()` and `eval("window")` return the global object; the result of other code is unknown. */
function codeResult(path: string, args: Value[]): Value {
  const code = asText(args.at(-1) ?? UNKNOWN).value;
  const words = code
    .trim()
    .slice(0, 40)
    .split(/[\s;]+/);
  const [name = ""] = words[0] === "return" ? words.slice(1) : words;
  const rest = words.slice(words[0] === "return" ? 2 : 1).join("");
  if (rest !== "" || !PAGE_NAMES.has(name)) return UNKNOWN;
  const value = host(name === "document" || name === "location" ? name : "");
  return path === "eval" ? value : host("Function().");
}

/** A text node that the file creates. */
export function textNode(interpreter: Interpreter, held: Value | undefined): Value {
  const node: Value = { kind: "element", tag: "#text" };
  interpreter.elementWrites.set(node, new Map([["textContent", held ?? constant("")]]));
  return node;
}

/** `o.__lookupSetter__("key")`: a setter, identified by its path, or a function that reads the property. */
export function accessorOf(of: Value, name: string, key: Value): Value {
  if (name === "__lookupGetter__") return { kind: "bound", target: host("Reflect.get"), args: [of, key] };
  const owner = of.kind === "host" && !of.path.endsWith(".prototype") ? of.path : "Element.prototype";
  return each(key, (option) => host(`${owner}.${asText(option).value}=`));
}

function elementNamed(value: Value): Value {
  return each(value, (option) => {
    const { value: tag } = asText(option);
    return tag.includes(HOLE) ? UNKNOWN : { kind: "element", tag: tag.toLowerCase() };
  });
}

function moduleOf(value: Value): Value {
  return each(value, (option) => {
    const { value: name } = asText(option);
    return name.includes(HOLE) || name.length > 60 ? UNKNOWN : host(`npm:${name.replace(/^node:/, "")}`);
  });
}
