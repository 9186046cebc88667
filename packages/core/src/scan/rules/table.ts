import { HOLE, type Value } from "../interpreter/value.ts";
import { isAlwaysDispatched } from "./common/always-dispatched.ts";
import { isElementFactory } from "./common/element-factories.ts";
import { isSetter } from "./common/setters.ts";
import type { Rule } from "./rule.ts";

/** The rules that check one name or path; empty for most. */
type RuleList = readonly Rule[];

/** Hooks that are called for every location of their kind. */
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

/** Which rules check which name or path, computed once for each in a file. */
export interface RuleTable {
  /** The rules that have a hook, by the hook's name. */
  having: Readonly<Record<Hook, RuleList>>;
  callsOf(path: string): RuleList;
  methodsOf(name: string): RuleList;
  propertiesOf(key: string, owner: Value): RuleList;
  attributesOf(name: string): RuleList;
  /** Whether calls of a path, or of a method by its name, are checked: by a rule, or because they write something. */
  isPathChecked(path: string): boolean;
  isMethodChecked(name: string): boolean;
}

export function newRuleTable(rules: RuleList): RuleTable {
  const { hooks, select, common } = indexRules(rules);
  const by = (kind: Kind) => memoized(common[kind], (name) => select[kind](name, NO_OWNER));
  const [calls, methods, known] = [by("calls"), by("methods"), by("properties")];
  return {
    having: hooks,
    callsOf: calls,
    methodsOf: methods,
    isPathChecked: memoized(
      common.paths,
      (path) =>
        isSetter(path) || isElementFactory(path.slice(path.lastIndexOf(".") + 1)) || calls(path).length > 0,
    ),
    isMethodChecked: memoized(common.names, (name) => isAlwaysDispatched(name) || methods(name).length > 0),
    propertiesOf: (key, owner) => (key.includes(HOLE) ? select.properties(key, owner) : known(key)),
    attributesOf: by("attributes"),
  };
}

const KINDS = ["calls", "methods", "properties", "attributes"] as const;
type Kind = (typeof KINDS)[number];

/** Data that is computed once for each list of rules. */
interface RuleIndex {
  hooks: Record<Hook, RuleList>;
  select: Record<Kind, (name: string, owner: Value) => RuleList>;
  /** Results that all files share: names such as `useState` and `className` occur in most files. */
  common: Record<Kind, Map<string, RuleList>> & Record<"paths" | "names", Map<string, boolean>>;
}

const RULE_INDEXES = new WeakMap<RuleList, RuleIndex>();

function indexRules(rules: RuleList): RuleIndex {
  let known = RULE_INDEXES.get(rules);
  if (known !== undefined) return known;
  known = { hooks: {}, select: {}, common: { paths: new Map(), names: new Map() } } as unknown as RuleIndex;
  const having = (key: keyof Rule) => rules.filter((rule) => rule[key] !== undefined);
  for (const hook of HOOKS) known.hooks[hook] = having(hook);
  for (const kind of KINDS) {
    const some = having(kind);
    known.select[kind] = (name, owner) => some.filter((rule) => rule[kind]?.(name, owner) === true);
    known.common[kind] = new Map();
  }
  RULE_INDEXES.set(rules, known);
  return known;
}

/** The owner that is passed for a key that is fully known. */
const NO_OWNER: Value = { kind: "unknown", taint: 0 };
/** Maximum number and length of the names that all files share: files from strangers must not fill the memory. */
const COMMON = 4000;
const COMMON_LENGTH = 40;

/** A function that caches the result for each name of a file, and for most names across files. */
function memoized<Answer>(
  common: Map<string, Answer>,
  ask: (name: string) => Answer,
): (name: string) => Answer {
  const own = new Map<string, Answer>();
  return (name) => {
    let answer = common.get(name) ?? own.get(name);
    if (answer === undefined) {
      answer = ask(name);
      if (common.size >= COMMON || name.length > COMMON_LENGTH) own.set(name, answer);
      // A copy: engines keep the whole source in memory while a slice of it is in use.
      else common.set([...name].join(""), answer);
    }
    return answer;
  };
}
