import type * as t from "@babel/types";
import { asText, taintOf } from "../interpreter/text/text.ts";
import { DECODED, HIDDEN, HOLE, isText, options, UNKNOWN, type Value } from "../interpreter/value.ts";
import { reachOf } from "./address.ts";
import type { HostCall, Site } from "./site.ts";

const ALWAYS = new Set([
  "eval",
  "execScript",
  "Function",
  "$.globalEval",
  "jQuery.globalEval",
  "npm:jquery.globalEval",
]);
const TIMERS = new Set(["setTimeout", "setInterval", "setImmediate", "requestIdleCallback"]);
/** Calls whose first argument is the address of a program. */
const PROGRAMS = new Set([
  "import",
  "importScripts",
  "Worker",
  "SharedWorker",
  "navigator.serviceWorker.register",
]);
const SYSTEM = /^npm:(?:vm\.(?:run\w+|Script|compileFunction|SourceTextModule)|child_process\.\w+)$/;

/** Calls that take a program in bytes. */
const WASM = new Set(["WebAssembly.instantiate", "WebAssembly.compile", "WebAssembly.Module"]);
/** Calls that take a template, or a component with one, whose expressions are compiled. */
const TEMPLATES =
  /^(?:npm:(?:vue|@vue\/[\w-]+)(?:\/[\w./-]+)?\.(?:createApp|createSSRApp|defineComponent|compile|component|extend)|Vue(?:\.(?:createApp|createSSRApp|defineComponent|compile|component|extend))?|npm:vue|npm:(?:lodash(?:-es)?|underscore)(?:\/template|\.template)|npm:lodash\.template|(?:npm:)?(?:handlebars|ejs|pug|doT|dot|nunjucks|Handlebars)\.(?:compile|render|template|renderString))$/;

/** How paths of those end, and of nothing else that is common. */
const TEMPLATE_END = /(?:[Cc]omponent|App|[Cc]ompile|extend|[Tt]emplate|render(?:String)?|[Vv]ue)$/;

function isTemplate(path: string): boolean {
  return TEMPLATE_END.test(path) && TEMPLATES.test(path);
}

export function isEvalSink(path: string): boolean {
  return (
    ALWAYS.has(path) ||
    TIMERS.has(path) ||
    PROGRAMS.has(path) ||
    SYSTEM.test(path) ||
    WASM.has(path) ||
    isTemplate(path)
  );
}

/** Text that is run as a program. */
export function checkEval(site: Site, { path, args, node }: HostCall): void {
  const [first] = args;
  if (ALWAYS.has(path) || SYSTEM.test(path)) site.report("eval", "high", node);
  else if (TIMERS.has(path) && first !== undefined && mayBeText(first)) site.report("eval", "high", node);
  else if (PROGRAMS.has(path) && first !== undefined) {
    checkProgram(site, first, node);
  } else if (WASM.has(path)) checkBytes(site, first ?? UNKNOWN, node);
  else if (isTemplate(path)) checkTemplate(site, path, args.slice(0, /component$/i.test(path) ? 2 : 1), node);
}

/** The address of a program that is the program itself. */
export function checkProgram(site: Site, address: Value, node: t.Node): void {
  const reach = reachOf(address);
  if (reach === "code" || reach === "data" || reach === "blob") site.report("eval", "high", node);
}

/** A program in bytes that the file makes; what is fetched is no more hidden than any other file of a site. */
function checkBytes(site: Site, bytes: Value, node: t.Node): void {
  const made = options(bytes).some(
    (option) =>
      option.kind === "list" ||
      (option.kind === "host" && option.path.startsWith("Uint8Array()")) ||
      (taintOf(option) & (HIDDEN | DECODED)) !== 0,
  );
  if (made) site.report("eval", "high", node);
}

/** A template that is put together and compiled: what stands in its braces is run. */
export function checkTemplate(site: Site, path: string, args: Value[], node: t.Node): void {
  const plain = /\b(?:compile|template|render|renderString)$/.test(path);
  for (const arg of args) {
    for (const option of options(arg)) {
      const held =
        option.kind === "object" || option.kind === "record"
          ? site.interpreter.member(option, "template")
          : option;
      const open = options(held).some((one) =>
        isText(one)
          ? asText(one).value.includes(HOLE)
          : one.kind === "unknown" || (one.kind === "host" && !one.path.startsWith("npm:"))
            ? plain || held !== option
            : plain && one.kind === "method",
      );
      if (open) site.report("eval", "medium", node);
    }
  }
}

const OBJECTS = new Set<Value["kind"]>(["list", "object", "record", "instance"]);

function mayBeText(value: Value): boolean {
  return options(value).some(
    (option) =>
      (isText(option) && asText(option).value !== "") ||
      // Of anything but a function, a timer takes the text.
      OBJECTS.has(option.kind) ||
      (taintOf(option) & (HIDDEN | DECODED)) !== 0,
  );
}
