import type * as t from "@babel/types";
import { isSpent, refuel } from "../interpreter/budget.ts";
import { asText } from "../interpreter/text/text.ts";
import { HOLE, host, isGlobalObject, options, UNKNOWN } from "../interpreter/value.ts";
import { checkKey } from "../mention/keys.ts";
import { checkMentions } from "../mention/mention.ts";
import { nameOfKey } from "../program/patterns.ts";
import type { MemberWrite, NameWrite, Program } from "../program/program.ts";
import { type Definition, resolve, type Scope, withObjects } from "../program/scope.ts";
import { MARKUP_KEYS } from "../program/walk-objects.ts";
import { checkMaker, isCoded, onCall, onTagged } from "./calls.ts";
import { checkEncoded } from "./encoded.ts";
import { checkInjectionWrite } from "./injection.ts";
import { checkJsx } from "./jsx.ts";
import { checkForeignMarkup, checkInnerHtml } from "./markup.ts";
import { checkAnyWrite, mayNameAddress } from "./redirect.ts";
import { checkSource, checkStyle } from "./request.ts";
import type { Site } from "./site.ts";
import { checkTraces } from "./traces.ts";
import { isLocation, isWatched, onWrite } from "./writes.ts";

/** Looks at every place that the walk noted. Writes and elements come first, as a click asks what its link holds. */
export function applyRules(site: Site): void {
  const { interpreter } = site;
  const { program } = interpreter;
  let stopped: t.Node | null = null;
  const all = <Place extends { node: t.Node }>(places: readonly Place[], look: (place: Place) => void) => {
    for (const place of places) {
      refuel();
      look(place);
      if (stopped === null && isSpent()) stopped = place.node;
    }
  };
  all(program.sources, ({ node }) => checkSource(site, node));
  all(program.memberWrites, (write) => onMemberWrite(site, write));
  all(program.nameWrites, (write) => onNameWrite(site, write));
  all(program.jsx, ({ node, scope }) => checkJsx(site, node, scope));
  all(program.calls, ({ node, scope }) => onCall(site, node, scope));
  all(program.tagged, ({ node, scope }) => onTagged(site, node, scope));
  all(program.mentions, (mention) => onMention(site, mention));
  all(program.makers, (mention) => checkMaker(site, mention));
  all(program.styles, ({ node, scope }) => checkStyle(site, interpreter.evaluate(node, scope, null), node));
  all(program.markup, (markup) => onMarkup(site, markup));
  checkMentions(site);
  checkEncoded(site);
  checkTraces(site);
  // From there on nothing was followed, so that anything may stand there.
  if (stopped !== null) site.report("unparsable", "high", stopped);
}

/** `object.key = value`, also inside a destructuring. */
function onMemberWrite(site: Site, { target, value, scope, node }: MemberWrite): void {
  const { interpreter } = site;
  if (target.object.type === "Super") return;
  const keys = target.computed
    ? options(interpreter.evaluate(target.property, scope, null)).map((option) => asText(option).value)
    : [nameOfKey(target.property)];
  const owner = interpreter.evaluate(target.object, scope, null);
  if (target.computed && options(interpreter.evaluate(target.property, scope, null)).some(isCoded))
    site.report("script-injection", "medium", node);
  const some = keys.some((key) => key.includes(HOLE)) && isLocation(owner);
  const names = some ? keys : keys.filter(isWatched);
  const made = options(owner).some(({ kind }) => kind === "element");
  if (target.object.type === "MemberExpression") onNestedWrite(site, target.object, keys, value, scope, node);
  if (names.length === 0 && !made) {
    if (target.computed && keys.some(mayNameAddress) && isGlobalObject(owner) && isHandedOn(value))
      checkAnyWrite(site, interpreter.definition(value, null), node);
    return;
  }
  const held = interpreter.definition(value, null);
  for (const name of made ? keys : names) {
    onWrite(site, owner, name, held, node);
    if ((name !== "innerHTML" && name !== "outerHTML") || value.how !== "value") continue;
    // A style element takes no markup.
    const style = options(owner).some((option) => option.kind === "element" && option.tag === "style");
    if (!style) checkForeignMarkup(site, value.node, value.scope, node);
  }
}

/** Whether a value is one that is read or received, not one that the place itself makes. */
function isHandedOn(value: Definition): boolean {
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

/** `x.attributes.onclick.value = …` and `x.location.href = …`, where nothing is known of `x`. */
function onNestedWrite(
  site: Site,
  object: t.MemberExpression,
  keys: readonly string[],
  value: Definition,
  scope: Scope,
  node: t.Node,
): void {
  const { interpreter } = site;
  if (keys.includes("href") && !object.computed && nameOfKey(object.property) === "location") {
    const owner = interpreter.evaluate(object, scope, null);
    if (owner.kind === "unknown")
      onWrite(site, host("location"), "href", interpreter.definition(value, null), node);
  }
  const outer = object.object;
  if (
    keys.includes("location") &&
    !object.computed &&
    /^(?:source|opener|win|popup)$/.test(nameOfKey(object.property))
  )
    onWrite(site, host("location"), "href", interpreter.definition(value, null), node);
  if (!keys.some((key) => ATTRIBUTE_VALUES.has(key)) || outer.type !== "MemberExpression") return;
  if (outer.computed || nameOfKey(outer.property) !== "attributes") return;
  const name = object.computed
    ? asText(interpreter.evaluate(object.property, scope, null)).value
    : nameOfKey(object.property);
  onWrite(site, UNKNOWN, /^\d|\uE000/.test(name) ? "href" : name, interpreter.definition(value, null), node);
}

const ATTRIBUTE_VALUES = new Set(["value", "nodeValue", "textContent"]);

/** `name = value` where the name may be the page's. */
function onNameWrite(site: Site, { name, value, scope, node }: NameWrite): void {
  const { interpreter } = site;
  const binding = resolve(scope, name);
  if (binding === null) onWrite(site, host(""), name, interpreter.definition(value, null), node);
  if (!interpreter.program.hasWith) return;
  for (const { node: object, scope: outer } of withObjects(scope, binding?.scope ?? null)) {
    onWrite(site, interpreter.evaluate(object, outer, null), name, interpreter.definition(value, null), node);
  }
}

const EVALS = new Set(["eval", "execScript"]);

/** `eval` that is not called but passed on. */
function onMention(site: Site, { node, scope }: Program["mentions"][number]): void {
  if ((node.type === "MemberExpression" || node.type === "OptionalMemberExpression") && node.computed) {
    // Under any other key it has been put there by the file, at a place that mentions it too.
    const key = options(site.interpreter.evaluate(node.property, scope, null));
    // Nobody writes `x["constructor"]` but to get at what makes functions.
    if (key.some((option) => option.kind === "constant" && option.value === "constructor"))
      site.report("eval", "high", node);
    checkKey(site, node, key);
    if (!key.some((option) => EVALS.has(asText(option).value))) return;
  }
  for (const value of options(site.interpreter.evaluate(node, scope, null))) {
    if (value.kind === "host" && EVALS.has(value.path)) {
      site.report("eval", "high", node);
    }
  }
}

/** A property of an object literal by whose name its value is markup. */
function onMarkup(site: Site, { node, key: written, scope }: Program["markup"][number]): void {
  const key = written ?? asText(site.interpreter.evaluate(node.key, scope, null)).value;
  if (!MARKUP_KEYS.has(key)) return;
  const value = site.interpreter.evaluate(node.value, scope, null);
  if (key === "__html") checkForeignMarkup(site, node.value, scope, node);
  else if (key === "innerHTML") {
    checkForeignMarkup(site, node.value, scope, node);
    checkInjectionWrite(site, { owner: UNKNOWN, key, value, node });
  } else if (key === "dangerouslySetInnerHTML") checkInnerHtml(site, value, node);
  else checkInjectionWrite(site, { owner: UNKNOWN, key: key.replace("srcDoc", "srcdoc"), value, node });
}
