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
  const { hooks, looking, common } = sorted(rules);
  const by = (kind: Kind) => remembered(common[kind], (name) => looking[kind](name, UNASKED));
  const known = by("properties");
  return {
    having: hooks,
    callsOf: by("calls"),
    methodsOf: by("methods"),
    propertiesOf: (key, owner) => (key.includes(HOLE) ? looking.properties(key, owner) : known(key)),
    attributesOf: by("attributes"),
  };
}

const KINDS = ["calls", "methods", "properties", "attributes"] as const;
type Kind = (typeof KINDS)[number];

/** What is made once for each list of rules. */
interface Sorted {
  hooks: Record<Hook, Looking>;
  looking: Record<Kind, (name: string, owner: Value) => Looking>;
  /** Answers that all files share: names such as `useState` and `className` stand in most of them. */
  common: Record<Kind, Map<string, Looking>>;
}

const SORTED = new WeakMap<Looking, Sorted>();

function sorted(rules: Looking): Sorted {
  let known = SORTED.get(rules);
  if (known !== undefined) return known;
  known = { hooks: {}, looking: {}, common: {} } as Sorted;
  const having = (key: keyof Rule) => rules.filter((rule) => rule[key] !== undefined);
  for (const hook of HOOKS) known.hooks[hook] = having(hook);
  for (const kind of KINDS) {
    const some = having(kind);
    known.looking[kind] = (name, owner) => some.filter((rule) => rule[kind]?.(name, owner) === true);
    known.common[kind] = new Map();
  }
  SORTED.set(rules, known);
  return known;
}

/** A key that is wholly known is asked about without its owner. */
const UNASKED: Value = { kind: "unknown", taint: 0 };
const NONE: Looking = [];
/** Names that all files share, at most, and how long they may be: what strangers send must not fill the memory. */
const COMMON = 4000;
const COMMON_LENGTH = 40;

function remembered(common: Map<string, Looking>, ask: (name: string) => Looking): (name: string) => Looking {
  const own = new Map<string, Looking>();
  return (name) => {
    let answer = common.get(name) ?? own.get(name);
    if (answer === undefined) {
      answer = ask(name);
      if (answer.length === 0) answer = NONE;
      if (common.size >= COMMON || name.length > COMMON_LENGTH) own.set(name, answer);
      // A copy: engines keep the whole source in memory for the sake of a slice of it.
      else common.set([...name].join(""), answer);
    }
    return answer;
  };
}
