import type * as t from "@babel/types";
import { taggedArguments } from "../interpreter/calls/call.ts";
import { type Arguments, argumentsOf, calleeOf, invocationsOf } from "../interpreter/calls/invocation.ts";
import { ELEMENT_CALLBACKS } from "../interpreter/calls/methods.ts";
import { elementOf } from "../interpreter/core/definition.ts";
import type { Interpreter } from "../interpreter/interpreter.ts";
import { addAll, asText } from "../interpreter/text/text.ts";
import {
  CODED,
  constant,
  HIDDEN,
  MADE,
  options,
  PICKED,
  REFLECTED,
  SPELLED,
  SPENT,
  UNKNOWN,
  type Value,
} from "../interpreter/value.ts";
import { nameOfKey } from "../program/patterns.ts";
import type { Call } from "../program/program.ts";
import { resolve, type Scope } from "../program/scope.ts";
import { checkEval, isEvalSink } from "./eval.ts";
import { tagsOf } from "./html.ts";
import { checkInjection, isInjectionSink, MAKERS } from "./injection.ts";
import { checkLeak, isLeakSink } from "./leaks.ts";
import { checkForeignMarkup } from "./markup.ts";
import { isHandled, isNamed, onNamedCall } from "./named.ts";
import { checkRedirect, isRedirectSink, writtenAs } from "./redirect.ts";
import { checkRequest, checkStyle, isRequestSink } from "./request.ts";
import type { HostCall, Site } from "./site.ts";
import { isData } from "./tags.ts";
import { isLocation, isSetter, onSetter } from "./writes.ts";

/** A call, by what it calls and by the name it calls it. */
export function onCall(site: Site, node: Call, scope: Scope): void {
  const { interpreter } = site;
  if (node.type !== "ImportExpression" && node.callee.type === "Identifier") {
    if (isIdle(site, node.callee.name, scope) || staysHome(node, scope)) return;
  }
  const callee = calleeOf(interpreter, node, scope, null);
  const args = argumentsOf(interpreter, node, scope, null);
  checkMade(site, callee, node);
  const reached =
    callee.kind === "unknown" || callee.kind === "function" ? [] : invocationsOf(interpreter, callee, args);
  for (const { target, args: given, receiver } of reached) {
    if (target.kind === "host") {
      onHostCall(site, target.path.replace(".prototype.", "()."), given, node);
      // `el.setAttribute.call(el, …)`, where nothing but the name of the method tells what it is.
      const name = target.path.slice(target.path.lastIndexOf(".") + 1);
      if (name !== target.path && isNamed(name))
        onNamedCall(site, { name, receiver: receiver ?? UNKNOWN, args: given, node });
    } else if (target.kind === "class") {
      const path = parentPath(interpreter, target);
      if (path !== null) onHostCall(site, path, given, node);
    } else if (target.kind === "method")
      onNamedCall(site, { name: target.name, receiver: target.of, args: given, node });
    else checkPicked(site, target, node);
  }
  if (node.type === "ImportExpression") return;
  const at = node.callee;
  if (isHiddenGlobal(site, at, callee, scope)) site.report("eval", "high", node);
  if (isSomeOfLocation(site, at, callee, scope)) site.report("redirect", "medium", node);
  if (at.type === "Identifier" && isNamed(at.name) && at.name !== "fetch") {
    onNamedCall(site, { name: at.name, receiver: UNKNOWN, args, node });
  }
  if (at.type !== "MemberExpression" && at.type !== "OptionalMemberExpression") return;
  if (at.object.type === "Super") return;
  if (!at.computed && !isHandled(nameOfKey(at.property)) && !OTHERS_EVAL.test(nameOfKey(at.property))) return;
  const names = at.computed
    ? options(interpreter.evaluate(at.property, scope, null)).map((option) => asText(option).value)
    : [nameOfKey(at.property)];
  if (names.some((name) => OTHERS_EVAL.test(name)) && isAnotherWindow(site, at.object, scope))
    site.report("eval", "high", node);
  for (const name of names) {
    if (!isHandled(name) || isOwn(name, callee, at.object)) continue;
    const receiver = interpreter.evaluate(at.object, scope, null);
    onNamedCall(site, { name, receiver, args, node });
    const markup =
      name === "insertAdjacentHTML"
        ? node.arguments[1]
        : name === "createContextualFragment"
          ? node.arguments[0]
          : name === "parseFromString" && PLACING.test(site.source)
            ? node.arguments[0]
            : undefined;
    if (markup !== undefined) checkForeignMarkup(site, markup, scope, node);
    handOn(site, name, receiver, args, node);
    // What is assigned later is handed to the setter.
    if (name === "__defineSetter__" || name === "__defineGetter__") handTo(site, args()[1], [UNKNOWN], node);
  }
}

/** What makes programs of texts. */
const PROGRAMS = new Set(["Function", "setTimeout", "setInterval", "execScript"]);
/** Whether an expression names what makes programs of texts itself, so that it is handed on. */
function makesPrograms(site: Site, node: t.Node, scope: Scope): boolean {
  const named = options(site.interpreter.evaluate(node, scope, null));
  return named.some((one) => one.kind === "host" && PROGRAMS.has(one.path));
}

/** What is called, or read a member of, where it stands; rules for calls see that. */
const USED = /^\s*(?:[(.`[]|\?\.|[!=]==?|as\b|satisfies\b|:)/;
/** What only compares something with it, or says what type something has. */
const TYPED = /\b(?:String|Object|Array|Number|Boolean|Symbol)\s*,\s*$/;
const COMPARED =
  /(?:\b(?:instanceof|typeof|new|case|extends|in)|[!=]==?|[\w"'`\])]\??\s*:\s*(?:\[[^\]()]*|\(\s*)?|\w*(?:instance|type|class|any|is[A-Z]?|promisify|spy|stub|mock|expect|equal|prop|has|inject|assert|token|Constructor)\w*\)?\s*[(,[][^()]*)\s*$/i;
/** Methods that call what they are given with what a list holds. */
const CALLING =
  /\b(?:map|forEach|flatMap|filter|some|every|find\w*|from|fromAsync|reduce|reduceRight|sort|then)\(\s*(?:[^()]*,\s*)?$/;
/** How much of the source before it is read. */
const BEFORE = 80;

/** `Function` that is neither called nor compared with: it is kept or handed on so as to be called elsewhere. */
export function checkMaker(site: Site, { node, scope }: { node: t.Expression; scope: Scope }): void {
  const [start, end] = [node.start ?? 0, node.end ?? 0];
  if (USED.test(site.source.slice(end, end + BEFORE))) return;
  const before = site.source.slice(Math.max(0, start - BEFORE), start);
  // A timer is kept and handed on for good reasons, but not to what calls it with the items of a list.
  const timer = /^set/.test(nameOfKey(node.type === "MemberExpression" ? node.property : node));
  if (timer ? !CALLING.test(before) : TYPED.test(before) || COMPARED.test(before)) return;
  if (makesPrograms(site, node, scope)) site.report("eval", "high", node);
}

/** What makes programs in any window. */
const OTHERS_EVAL = /^(?:eval|execScript|Function)$/;
/** How people call a window that they are handed. */
const WINDOW =
  /(?:^|[a-z.])(?:w|win|wnd|window|frame|iframe|realm|global|globals|view|scope|root|ctx|sandbox|popup|opener|parent|top|current)$/i;

/** What puts a parsed page into this one. */
const PLACING = /\b(?:append|appendChild|prepend|replaceChildren|replaceWith|adoptNode|importNode)\(/;

/** Something of which nothing is known but that its name says that it is a window. */
function isAnotherWindow(site: Site, object: t.Node, scope: Scope): boolean {
  const owner = site.interpreter.evaluate(object, scope, null);
  if (!options(owner).some(({ kind }) => kind === "unknown")) return false;
  return WINDOW.test((writtenAs(site, object) ?? "").replace(/[)\]]+$/, ""));
}

/**
 * A method that the file itself defines: what it does is seen inside it. One that makes elements may be a framework's
 * that was bundled in, unless it pretends to be the page.
 */
function isOwn(name: string, callee: Value, object: t.Node): boolean {
  if (!options(callee).every((option) => option.kind === "function")) return false;
  return !MAKERS.test(name) || (object.type === "Identifier" && object.name === "document");
}

/** `f[k](text)()`: a function made by some member of a function. */
function checkMade({ report }: Site, callee: Value, node: t.Node): void {
  for (const option of options(callee)) {
    if (option.kind === "unknown" && option.taint & MADE) report("eval", "high", node);
  }
}

/** A member of the global object, picked by a name that is not known and handed to what calls it. */
function checkPicked({ report }: Site, target: Value, node: t.Node): void {
  if (target.kind === "unknown" && target.taint & PICKED) report("eval", "high", node);
}

/** `window[decode("…")](…)`: a function of the page whose name is hidden, or that was picked out of all. */
function isHiddenGlobal(site: Site, at: t.Node, callee: Value, scope: Scope): boolean {
  let taint = 0;
  for (const option of options(callee)) if (option.kind === "unknown") taint |= option.taint;
  // What could not be followed to its end may be anything.
  if (callee.kind === "unknown" && taint & SPENT) return true;
  if (taint & PICKED) {
    if (at.type !== "MemberExpression" && at.type !== "OptionalMemberExpression") return true;
    // `window[name].method()` calls a method of what is kept there, but these call that itself.
    if (!at.computed && /^(?:call|apply|bind|value)$/.test(nameOfKey(at.property))) return true;
  }
  if (taint & REFLECTED && !isMethodOf(at, "bind")) return true;
  if ((taint & (CODED | PICKED)) === 0) return false;
  if ((at.type !== "MemberExpression" && at.type !== "OptionalMemberExpression") || !at.computed)
    return false;
  if (at.object.type === "Super") return false;
  // A name in a code hides what it names, whatever has it.
  if (options(site.interpreter.evaluate(at.property, scope, null)).some(isCoded)) return true;
  return options(site.interpreter.evaluate(at.object, scope, null)).some((owner) => owner.kind === "host");
}

/** A text that is told only by decoding, which was not worked out. */
export function isCoded(value: Value): boolean {
  return (value.kind === "unknown" || value.kind === "text") && (value.taint & (HIDDEN | SPELLED)) !== 0;
}

function isMethodOf(at: t.Node, name: string): boolean {
  return at.type === "MemberExpression" && !at.computed && nameOfKey(at.property) === name;
}

/** `location[name](…)`: all that it has leads away. */
function isSomeOfLocation(site: Site, at: t.Node, callee: Value, scope: Scope): boolean {
  if ((at.type !== "MemberExpression" && at.type !== "OptionalMemberExpression") || !at.computed)
    return false;
  return callee.kind === "unknown" && at.object.type !== "Super"
    ? isLocation(site.interpreter.evaluate(at.object, scope, null))
    : false;
}

/** What of the page a class without a constructor of its own constructs: `class extends Function {}`. */
function parentPath(interpreter: Interpreter, of: Extract<Value, { kind: "class" }>): string | null {
  let at: Value = of;
  for (let depth = 0; depth < 4 && at.kind === "class"; depth++) {
    const { body, superClass } = at.node;
    if (!superClass || body.body.some((one) => one.type === "ClassMethod" && one.kind === "constructor"))
      return null;
    const parents: readonly Value[] = options(interpreter.evaluate(superClass, at.scope, at.env));
    at = parents.find(({ kind }) => kind === "host" || kind === "class") ?? UNKNOWN;
  }
  return at.kind === "host" ? at.path : null;
}

/** Whether a name is plainly a global or an import that no rule looks at, which most calls of a name are of. */
function isIdle(site: Site, name: string, scope: Scope): boolean {
  const { program, hostWrites } = site.interpreter;
  if (program.hasWith || isNamed(name)) return false;
  const binding = resolve(scope, name);
  const [only] = binding?.definitions ?? [];
  if (binding !== null && (only?.how !== "import" || binding.definitions.length > 1)) return false;
  const path = only?.how === "import" ? only.path : name;
  return !hostWrites.has(path) && !isSink(site, path) && !isNamed(path.slice(path.lastIndexOf(".") + 1));
}

/** `fetch("/api/" + …)`: whatever follows, it is an address of the same site. */
function staysHome({ callee, arguments: args }: Exclude<Call, t.ImportExpression>, scope: Scope): boolean {
  let start: t.Node | undefined = args[0];
  if (callee.type !== "Identifier" || callee.name !== "fetch" || resolve(scope, "fetch") !== null)
    return false;
  while (start?.type === "BinaryExpression" && start.operator === "+") start = start.left;
  if (start?.type === "TemplateLiteral") return HOME.test(start.quasis[0]?.value.cooked ?? "");
  return start?.type === "StringLiteral" && HOME.test(start.value);
}

const HOME = /^\/[a-z\d]/i;

/** Whether any rule looks at calls of a path; asked once per path of a file. */
function isSink(site: Site, path: string): boolean {
  let known = site.sinks.get(path);
  if (known === undefined) {
    known =
      isSetter(path) ||
      isEvalSink(path) ||
      isRedirectSink(path) ||
      isRequestSink(path) ||
      isInjectionSink(path) ||
      isLeakSink(path);
    site.sinks.set(path, known);
  }
  return known;
}

function onHostCall(site: Site, path: string, args: Arguments, node: t.Node): void {
  if (!isSink(site, path)) return;
  const maker = MAKERS.test(path.slice(path.lastIndexOf(".") + 1));
  const call: HostCall = { path, args: maker ? args(3) : args(), node };
  if (isSetter(path)) {
    onSetter(site, call);
    return;
  }
  checkEval(site, call);
  checkRedirect(site, call);
  checkRequest(site, call);
  checkInjection(site, call);
  checkLeak(site, call);
  // A timer calls its function with the arguments after the delay.
  if (call.path === "setTimeout" || call.path === "setInterval") {
    handTo(site, call.args[0], call.args.slice(2), call.node);
  }
}

/** `["https://…"].forEach(fetch)` and `promise.then(fetch)` call what they are given. */
function handOn(site: Site, name: string, receiver: Value, args: Arguments, node: t.Node): void {
  if (name === "then") handTo(site, args()[0], [receiver], node);
  else if (ELEMENT_CALLBACKS.has(name)) handTo(site, args()[0], [elementOf(receiver)], node);
}

export function handTo(site: Site, callback: Value | undefined, args: Value[], node: t.Node): void {
  if (callback === undefined) return;
  for (const option of options(callback)) checkPicked(site, option, node);
  for (const { target, args: given } of invocationsOf(site.interpreter, callback, () => args)) {
    if (target.kind === "host" && !target.path.startsWith("setTimeout"))
      onHostCall(site, target.path.replace(".prototype.", "()."), given, node);
  }
}

/** A template with a tag: a call of the tag, or markup. */
export function onTagged(site: Site, node: t.TaggedTemplateExpression, scope: Scope): void {
  const { interpreter } = site;
  const tag = interpreter.evaluate(node.tag, scope, null);
  checkMade(site, tag, node);
  for (const option of options(tag)) checkPicked(site, option, node);
  const args = () => taggedArguments(interpreter, node, scope, null);
  for (const { target, args: given } of invocationsOf(interpreter, tag, args)) {
    if (target.kind !== "host") continue;
    const [texts, ...rest] = given();
    // Taken as text, a list of texts is the text itself.
    onHostCall(
      site,
      target.path,
      () => [texts?.kind === "list" ? (texts.items[0] ?? UNKNOWN) : UNKNOWN, ...rest],
      node,
    );
  }
  // Styles of a library: `styled.p`…``.
  if (node.quasi.quasis.some(({ value }) => value.raw.includes("url("))) {
    const parts = args()[0];
    const texts = parts?.kind === "list" ? parts.items : [];
    checkStyle(site, addAll(texts.flatMap((text, at) => [text, args()[at + 1] ?? constant("")])), node);
  }
  if (node.tag.type === "Identifier" && (node.tag.name === "html" || node.tag.name === "svg")) {
    const text = node.quasi.quasis.map((quasi) => quasi.value.cooked ?? "").join(" ");
    if (!/<script[\s/>]/i.test(text)) return;
    // A library binds the handlers in it itself.
    for (const tag of tagsOf(text))
      if (tag.name === "script" && !isData(tag.attributes.get("type")))
        site.report("script-injection", "high", node);
  }
}
