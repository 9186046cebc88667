import type * as t from "@babel/types";
import { nameOfKey } from "../../program/patterns.ts";
import type { Scope } from "../../program/scope.ts";
import { chargeSteps } from "../budget.ts";
import { list } from "../builtins/builtin.ts";
import { itemsOf } from "../core/items.ts";
import type { Interpreter } from "../interpreter.ts";
import { jsxAttribute } from "../members/jsx-values.ts";
import { markCharwise } from "../text/charwise.ts";
import { add, asText, stringOf, taintOf } from "../text/text.ts";
import {
  BEYOND_BUDGET,
  constant,
  DECODED,
  each,
  either,
  type Frame,
  FUNCTION_MEMBER,
  FUNCTION_MEMBER_RESULT,
  HIDDEN,
  HOLE,
  host,
  identity,
  literal,
  options,
  text,
  UNKNOWN,
  unknown,
  type Value,
} from "../value.ts";
import { callHost } from "./call-host.ts";
import { constructHost } from "./construct-host.ts";
import { type Arguments, argumentsOf, calleeOf, invocationsOf } from "./invocation.ts";
import { mapUnknown, mayReturnValue } from "./map-unknown.ts";
import { callMethod, INSERTING_METHODS } from "./methods.ts";

/** The cost of following a call besides that of its body, in steps. */
const CALL = 4;

/** How deep nested calls are followed. */
const CALL_DEPTH = 8;

/** The result of a call. */
export function callOf(
  interpreter: Interpreter,
  node: t.CallExpression | t.OptionalCallExpression | t.ImportExpression | t.TaggedTemplateExpression,
  scope: Scope,
  env: Frame | null,
): Value {
  if (node.type === "TaggedTemplateExpression") return templateOf(interpreter, node, scope, env);
  const callee = calleeOf(interpreter, node, scope, env);
  const args = argumentsOf(interpreter, node, scope, env);
  if (callee.kind === "unknown")
    return markCharwise(interpreter, ofUnknown(interpreter, methodOf(node), resultOf(callee), args), node);
  if (callee.kind === "host") {
    const method = methodOf(node);
    if (FOLLOWED.has(method)) return ofUnknown(interpreter, method, unknown(taintOf(callee)), args);
  }
  return markCharwise(interpreter, callValue(interpreter, callee, args), node);
}

/** The name of the called method, if it is literal. */
function methodOf(node: t.CallExpression | t.OptionalCallExpression | t.ImportExpression): string {
  if (node.type === "ImportExpression") return "";
  const { callee } = node;
  if (callee.type !== "MemberExpression" && callee.type !== "OptionalMemberExpression") return "";
  return callee.computed ? "" : nameOfKey(callee.property);
}

/** Methods whose result, on an unknown object, depends on the arguments of the call. */
const FOLLOWED = new Set([
  "map",
  "flatMap",
  "replace",
  "replaceAll",
  "appendChild",
  "insertBefore",
  "insertAdjacentElement",
  "adoptNode",
]);

/** The result of a method of an unknown object: also unknown, unless its arguments say more. */
function ofUnknown(interpreter: Interpreter, method: string, of: Value, args: Arguments): Value {
  if (method === "getAttribute" && interpreter.hasJsxValues)
    return jsxAttribute(interpreter, of, asText(args()[0] ?? UNKNOWN).value) ?? of;
  const placed = INSERTING_METHODS[method];
  if (placed !== undefined) {
    const node = args()[placed];
    return node?.kind === "element" ? node : of;
  }
  // `path.reduce((object, key) => object[key], start)`.
  if (method === "reduce" && args()[1] !== undefined) {
    const [callback = UNKNOWN, start = UNKNOWN] = args();
    return callback.kind === "function" ? interpreter.call(callback, () => [start, UNKNOWN]) : of;
  }
  if (!FOLLOWED.has(method)) return of;
  if (method === "map" || method === "flatMap") return mapUnknown(interpreter, of, args()[0] ?? UNKNOWN);
  const by = args()[1] ?? UNKNOWN;
  const made = by.kind === "function" ? callValue(interpreter, by, () => [UNKNOWN, UNKNOWN, UNKNOWN]) : by;
  // `&lt;` to `<`: the result is markup again.
  const opened = options(made).some((one) => one.kind === "constant" && one.value === "<");
  const taint = taintOf(of) | (taintOf(made) & (HIDDEN | DECODED)) | (opened ? DECODED : 0);
  // The inserted markup may be all that matters.
  const marked = made.kind === "constant" && typeof made.value === "string" && /<\w/.test(made.value);
  return marked ? text(HOLE + String(made.value) + HOLE, taint) : unknown(taint);
}

/** The result of calling a value. */
export function callValue(interpreter: Interpreter, callee: Value, args: Arguments): Value {
  if (callee.kind === "host") return callHostOrWrapped(interpreter, callee, args);
  return callAny(interpreter, callee, args);
}

function callHostOrWrapped(
  interpreter: Interpreter,
  callee: Extract<Value, { kind: "host" }>,
  args: Arguments,
): Value {
  const wrapped = callee.path === "Reflect.apply" || callee.path === "Reflect.construct";
  return wrapped ? callAny(interpreter, callee, args) : callHost(interpreter, callee.path, args);
}

function callAny(interpreter: Interpreter, callee: Value, args: Arguments): Value {
  const results = invocationsOf(interpreter, callee, args).map(({ target, args: given }): Value => {
    switch (target.kind) {
      case "function":
        if (!mayReturnValue(interpreter, target.node)) return UNKNOWN;
        return markCharwise(interpreter, followCall(interpreter, target, given()), target.node);
      case "host":
        return callHost(interpreter, target.path, given);
      case "method":
        if (target.name === "bind") return bind(target.of, given());
        return callMethod(interpreter, target.of, target.name, given());
      default:
        return UNKNOWN;
    }
  });
  for (const option of options(callee))
    if (option.kind === "unknown" && option.taint & FUNCTION_MEMBER) results.push(resultOf(option));
  return results.length === 0 ? unknown(taintOf(callee)) : either(results);
}

/** The result of calling an unknown value: unknown, and FUNCTION_MEMBER_RESULT if that is FUNCTION_MEMBER. */
function resultOf(callee: Extract<Value, { kind: "unknown" }>): Value {
  return callee.taint & FUNCTION_MEMBER
    ? unknown((callee.taint & ~FUNCTION_MEMBER) | FUNCTION_MEMBER_RESULT)
    : callee;
}

/** `f.bind(receiver, …)`; for `call` and `apply` themselves, the receiver is the function to call. */
function bind(fn: Value, [receiver, ...args]: Value[]): Value {
  const viaFunctionMethod = fn.kind === "method" && (fn.name === "call" || fn.name === "apply");
  return {
    kind: "bound",
    target: viaFunctionMethod ? { ...fn, of: receiver ?? UNKNOWN } : fn,
    args,
    self: viaFunctionMethod ? undefined : receiver,
  };
}

/** The result of `new`. */
export function constructOf(
  interpreter: Interpreter,
  node: t.NewExpression,
  scope: Scope,
  env: Frame | null,
): Value {
  const callee = calleeOf(interpreter, node, scope, env);
  const args = argumentsOf(interpreter, node, scope, env);
  return markCharwise(interpreter, constructed(interpreter, callee, args), node);
}

function constructed(interpreter: Interpreter, callee: Value, args: Arguments): Value {
  return each(callee, (option) => {
    if (option.kind === "class")
      return { kind: "instance", of: option.node, scope: { ...option.scope, parent: option.scope } };
    if (option.kind === "function") return { kind: "instance", of: option.node, scope: option.scope };
    if (option.kind === "host") return constructHost(interpreter, option.path, args);
    return option.kind === "unknown" && option.taint & FUNCTION_MEMBER ? resultOf(option) : UNKNOWN;
  });
}

/** The values that a function of the file returns for these arguments. */
export function followCall(interpreter: Interpreter, fn: Value, args: Value[]): Value {
  if (fn.kind === "host") return callHost(interpreter, fn.path, () => args);
  if (fn.kind === "either") return either(fn.options.map((one) => followCall(interpreter, one, args)));
  if (fn.kind !== "function") return UNKNOWN;
  const depth = fn.env === null ? 0 : fn.env.depth + 1;
  if (depth > CALL_DEPTH || recursion(interpreter, fn.node)) return UNKNOWN;
  if (!chargeSteps(CALL)) return BEYOND_BUDGET;
  const facts = interpreter.program.functions.get(fn.node);
  if (facts === undefined || !mayReturnValue(interpreter, fn.node)) return UNKNOWN;
  const key = keyOf(interpreter, facts.variadic ? args : received(fn.node, args));
  if (key === null) return follow(interpreter, fn, args, depth);
  const calls = fn.env?.calls ?? interpreter.calls;
  let results = calls.get(fn.node);
  if (results === undefined) {
    results = new Map();
    calls.set(fn.node, results);
  }
  let result = results.get(key);
  if (result === undefined) {
    // A call that needs its own result finds it unknown.
    results.set(key, UNKNOWN);
    result = follow(interpreter, fn, args, depth);
    results.set(key, result);
  }
  return result;
}

/** The arguments that a function has parameters for. */
function received(fn: t.Function, args: Value[]): Value[] {
  const { params } = fn;
  return args.length <= params.length || params.at(-1)?.type === "RestElement"
    ? args
    : args.slice(0, params.length);
}

function follow(
  interpreter: Interpreter,
  fn: Extract<Value, { kind: "function" }>,
  args: Value[],
  depth: number,
): Value {
  const facts = interpreter.program.functions.get(fn.node);
  if (facts === undefined) return UNKNOWN;
  const frame: Frame = {
    fn: fn.node,
    scope: facts.scope,
    args,
    parent: fn.env,
    depth,
    known: new Map(),
    calls: new Map(),
  };
  interpreter.following.push(fn.node);
  const results = facts.returns.map(({ node, scope }) => interpreter.evaluate(node, scope, frame));
  const yields = facts.yields.map(({ node, scope, all }) => ({
    all,
    value: interpreter.evaluate(node, scope, frame),
  }));
  interpreter.following.pop();
  if (fn.node.generator === true) {
    // Only `yield*` yields the items of a list one by one.
    return list(yields.flatMap(({ all, value }) => (all && value.kind === "list" ? value.items : [value])));
  }
  return each(either(results), (value) =>
    value.kind === "receiver" && value.of === fn.node ? host("") : value,
  );
}

/** The cache key of arguments; null if one of them has no identity that fits into a key. */
function keyOf(interpreter: Interpreter, args: Value[]): string | null {
  if (args.length > 6) return null;
  let key = "";
  for (const arg of args) {
    const same = arg.kind === "unknown" ? `?${arg.taint}` : identity(arg);
    if (same === arg || (typeof same === "string" && same.length > 80)) return null;
    if (typeof same !== "object" || same === null) key += `${typeof same}${String(same)},`;
    else {
      let number = interpreter.numbers.get(same);
      if (number === undefined) {
        number = interpreter.numbers.size;
        interpreter.numbers.set(same, number);
      }
      key += `${arg.kind}#${number},`;
    }
  }
  return key;
}

function recursion(interpreter: Interpreter, fn: t.Function): boolean {
  if (interpreter.following.length > 24) return true;
  let seen = 0;
  for (const one of interpreter.following) if (one === fn) seen++;
  return seen >= 3;
}

function templateOf(
  interpreter: Interpreter,
  node: t.TaggedTemplateExpression,
  scope: Scope,
  env: Frame | null,
): Value {
  const tag = interpreter.evaluate(node.tag, scope, env);
  const { quasis, expressions } = node.quasi;
  if (tag.kind === "host" && tag.path === "String.raw") {
    return quasis.reduce<Value>((sum, quasi, index) => {
      const next = expressions[index];
      const joined = add(sum, literal(quasi.value.raw));
      return next === undefined ? joined : add(joined, stringOf(interpreter.evaluate(next, scope, env)));
    }, constant(""));
  }
  return callValue(interpreter, tag, () => taggedArguments(interpreter, node, scope, env));
}

/** The arguments of a tag function: the list of strings, then the values between them. */
export function taggedArguments(
  interpreter: Interpreter,
  node: t.TaggedTemplateExpression,
  scope: Scope,
  env: Frame | null,
): Value[] {
  chargeSteps(node.quasi.quasis.length >> 2);
  const texts = node.quasi.quasis.map((quasi) => literal(quasi.value.cooked ?? ""));
  return [
    { kind: "list", items: texts, node: null },
    ...itemsOf(interpreter, node.quasi.expressions, scope, env),
  ];
}
