import { HOLE, type Value } from "../interpreter/value.ts";
import type { Rule } from "./rule.ts";

/** The rules that look at one thing; empty for most. */
type Looking = readonly Rule[];

/** Hooks that are called at every place of their kind. */
const HOOKS = [
  "onCallee",
  "onUnknownCall",
  "onTagged",
  "onMemberWrite",
  "onAttribute",
  "onJsx",
  "onComponent",
  "onProp",
  "onFile",
  "onEnd",
] as const;
type Hook = (typeof HOOKS)[number];

/** Which rules look at what, asked once for each name or path of a file. */
export interface RuleTable {
  /** The rules that have a hook, by its name. */
  having: Readonly<Record<Hook, Looking>>;
  callsOf(path: string): Looking;
  methodsOf(name: string): Looking;
  propertiesOf(key: string, owner: Value): Looking;
  attributesOf(name: string): Looking;
}

export function newRuleTable(rules: Looking): RuleTable {
  const having = (key: keyof Rule) => rules.filter((rule) => rule[key] !== undefined);
  const [calls, methods, properties, attributes] = [
    having("calls"),
    having("methods"),
    having("properties"),
    having("attributes"),
  ];
  const hooks = {} as Record<Hook, Looking>;
  for (const hook of HOOKS) hooks[hook] = having(hook);
  const propertiesOf = (key: string, owner: Value) =>
    properties.filter((rule) => rule.properties?.(key, owner) === true);
  const known = remembered((key) => propertiesOf(key, UNASKED));
  return {
    having: hooks,
    callsOf: remembered((path) => calls.filter((rule) => rule.calls?.(path) === true)),
    methodsOf: remembered((name) => methods.filter((rule) => rule.methods?.(name) === true)),
    propertiesOf: (key, owner) => (key.includes(HOLE) ? propertiesOf(key, owner) : known(key)),
    attributesOf: remembered((name) => attributes.filter((rule) => rule.attributes?.(name) === true)),
  };
}

/** A key that is wholly known is asked about without its owner. */
const UNASKED: Value = { kind: "unknown", taint: 0 };
const NONE: Looking = [];

function remembered(ask: (name: string) => Looking): (name: string) => Looking {
  const known = new Map<string, Looking>();
  return (name) => {
    let answer = known.get(name);
    if (answer === undefined) {
      answer = ask(name);
      if (answer.length === 0) answer = NONE;
      known.set(name, answer);
    }
    return answer;
  };
}
