import type * as t from "@babel/types";
import { hostMember } from "../../interpreter/members/hosts.ts";
import { asText, taintOf } from "../../interpreter/text/text.ts";
import {
  HOLE,
  host,
  isGlobalObject,
  options,
  PRIVATE,
  UNKNOWN,
  type Value,
} from "../../interpreter/value.ts";
import { nameOfKey } from "../../program/patterns.ts";
import { type Definition, resolve } from "../../program/scope.ts";
import { reachOf } from "../common/address.ts";
import type { Rule, RuleContext, Write, WrittenMember } from "../rule.ts";
import { OWN_WINDOWS } from "./windows.ts";

/** Parts of the address that load another page when they are set; `hash` does not. */
const PARTS = new Set(["href", "protocol", "host", "hostname", "port", "pathname", "search"]);
const CALLS = new Set(["location.assign", "location.replace", "navigation.navigate"]);

/** Navigation through `location`, its parts and methods, under any name. */
export const navigation: Rule = {
  id: "redirect",
  severity: "high",
  calls: (path) => CALLS.has(path) || path === "open",
  onCall(context, { path, args: [first, second], node }) {
    if (CALLS.has(path)) reportNavigation(context, first ?? UNKNOWN, node);
    if (path !== "open" || first === undefined) return;
    const reach = reachOf(first);
    if (reach === "code" || reach === "data") context.report("script-injection", "high", node);
    if (reach === "external" && taintOf(first) & PRIVATE) context.report("external-request", "high", node);
    if (second !== undefined && options(second).some((option) => OWN_WINDOWS.test(asText(option).value)))
      reportNavigation(context, first, node);
  },
  onCallee(context, { node, callee, scope }) {
    // `location[name](…)`: any of its methods navigates.
    if (callee.kind !== "unknown" || node.type === "ImportExpression") return;
    const at = node.callee;
    if ((at.type !== "MemberExpression" && at.type !== "OptionalMemberExpression") || !at.computed) return;
    if (at.object.type !== "Super" && isLocation(context.interpreter.evaluate(at.object, scope, null)))
      context.report("redirect", "medium", node);
  },
  properties: (key, owner) =>
    key === "location" ||
    PARTS.has(key) ||
    (key.includes(HOLE) && (isLocation(owner) || isGlobalObject(owner))),
  onWrite: checkWrite,
  onMemberWrite(context, written) {
    checkAnyWrite(context, written);
    checkNested(context, written);
    checkUnknownWindow(context, written);
  },
};

/** `location = …` and `location.part = …` under any name. */
function checkWrite(context: RuleContext, { owner, key, value, node, byFunction }: Write): void {
  if (owner.kind !== "host") return;
  const path = hostMember(owner.path, key);
  // An unknown key may be any part of the address.
  const some = key.includes(HOLE) && owner.path === "location";
  const part = path === "location" || (path?.startsWith("location.") === true && PARTS.has(path.slice(9)));
  if (some || part) reportNavigation(context, value, node);
  else if (byFunction === true && owner.path === "" && mayNameAddress(key))
    reportPossibleNavigation(context, value, node);
}

/** Reports a navigation of this window. Only another fragment, or the page's own address again, is no redirect. */
function reportNavigation(context: RuleContext, to: Value, node: t.Node): void {
  const reach = reachOf(to);
  const again = options(to).every((option) => option.kind === "host" && option.path.startsWith("location"));
  if (reach === "same-document" || again) return;
  const severity = reach === "same-site" ? "low" : reach === "code" || reach === "hidden" ? "high" : "medium";
  context.report("redirect", severity, node);
  if (reach === "code" || reach === "data") context.report("script-injection", "high", node);
}

function isLocation(owner: Value): boolean {
  return options(owner).some((option) => option.kind === "host" && option.path === "location");
}

/** Whether a partly unknown name may be `location`. */
function mayNameAddress(key: string): boolean {
  if (!key.includes(HOLE)) return false;
  const known = key.split(HOLE);
  return "location".startsWith(known[0] ?? "") && "location".endsWith(known.at(-1) ?? "");
}

/** `window[key] = value` with an unknown key, where the value is unknown or an address. */
function checkAnyWrite(context: RuleContext, { write, owner, keys }: WrittenMember): void {
  const { target, value, node } = write;
  if (!target.computed || !keys.some(mayNameAddress) || !isGlobalObject(owner) || !isPassedValue(value))
    return;
  reportPossibleNavigation(context, context.interpreter.definition(value, null), node);
}

function reportPossibleNavigation(context: RuleContext, value: Value, node: t.Node): void {
  const reach = reachOf(value);
  const open = options(value).some(({ kind }) => kind === "unknown");
  if (open || reach === "external" || reach === "code" || reach === "hidden")
    context.report("redirect", "medium", node);
}

/** Whether a value is read or received, and not created in the assignment itself. */
function isPassedValue(value: Definition): boolean {
  if (value.how !== "value") return true;
  let { node } = value;
  while (node.type === "TSAsExpression" || node.type === "TSNonNullExpression") node = node.expression;
  if (node.type !== "Identifier")
    return (
      node.type === "MemberExpression" || node.type === "StringLiteral" || node.type === "TemplateLiteral"
    );
  const made = resolve(value.scope, node.name)?.definitions ?? [];
  return made.every((one) => one.how !== "value" || one.node.type === "StringLiteral");
}

/** Usual names of a window. */
const WINDOWS = /^(?:source|opener|win|popup)$/;

/** `x.location.href = …` and `x.opener.location = …`, where `x` is unknown. */
function checkNested(context: RuleContext, { write, keys }: WrittenMember): void {
  const { interpreter } = context;
  const { target, value, scope, node } = write;
  const { object } = target;
  if (object.type !== "MemberExpression" || object.computed) return;
  const name = nameOfKey(object.property);
  const part = keys.some((key) => PARTS.has(key)) && name === "location";
  const held = interpreter.evaluate(object, scope, null);
  const leads =
    (part && (held.kind === "unknown" || leadsToOtherHost(context, held, object.object, value))) ||
    (keys.includes("location") && WINDOWS.test(name));
  if (!leads) return;
  const to = interpreter.definition(value, null);
  checkWrite(context, { owner: host("location"), key: "href", value: to, node });
}

/** Whether a partly known window is set to the address of another host; an object that the file creates is no window. */
function leadsToOtherHost(context: RuleContext, held: Value, of: t.Node, value: Definition): boolean {
  let root = of;
  while (root.type === "MemberExpression") root = root.object;
  if (root.type === "ThisExpression" || root.type === "Super") return false;
  if (options(held).some(({ kind }) => OWN_KINDS.has(kind))) return false;
  const reach = reachOf(context.interpreter.definition(value, null));
  return reach === "external" || reach === "code" || reach === "hidden";
}

const OWN_KINDS = new Set<Value["kind"]>(["object", "record", "instance", "class", "constant", "text"]);

/** `x.location = "https://…"`: an object whose `location` is an address of another host is a window, whatever its name. */
function checkUnknownWindow(context: RuleContext, { write, owner, keys }: WrittenMember): void {
  if (!keys.includes("location") || !options(owner).some(({ kind }) => kind === "unknown")) return;
  const reach = reachOf(context.interpreter.definition(write.value, null));
  if (reach === "external" || reach === "code" || reach === "hidden")
    context.report("redirect", "medium", write.node);
}
