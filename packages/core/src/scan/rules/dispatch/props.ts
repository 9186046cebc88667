import type * as t from "@babel/types";
import { namesOf } from "../../interpreter/members/objects.ts";
import { isText, options, type Value } from "../../interpreter/value.ts";
import type { RuleContext } from "../rule.ts";

/** The properties of `createElement(tag, { … })`, for an element whose tag is known. */
export function onProps(context: RuleContext, [tag, props]: readonly Value[], node: t.Node): void {
  if (tag === undefined || props === undefined || !options(tag).some(isText)) return;
  const { interpreter, rules } = context;
  const lookup = (name: string) => interpreter.member(props, name);
  for (const key of namesOf(interpreter, props)) {
    const value = lookup(key);
    const prop = { tag, key, value, lookup, node };
    for (const rule of rules.having.onProp) rule.onProp?.(context, prop);
  }
}
