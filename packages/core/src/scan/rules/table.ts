import { HOLE, type Value } from "../interpreter/value.ts";
import { isElementMaker } from "./common/element-factories.ts";
import { isMeaningful } from "./common/always-dispatched.ts";
import { isSetter } from "./common/setters.ts";
import type { Rule } from "./rule.ts";

/** The rules that check one name or path; empty for most. */
type Looking = readonly Rule[];

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
  having: Readonly<Record<Hook, Looking>>;
  callsOf(path: string): Looking;
  methodsOf(name: string): Looking;
  propertiesOf(key: string, owner: Value): Looking;
  attributesOf(name: string): Looking;
  /** Whether calls of a path, or of a method by its name, are checked: by a rule, or because they write something. */
  isPathSeen(path: string): boolean;
  isMethodSeen(name: string): boolean;
}

export function newRuleTable(rules: Looking): RuleTable {
  const { hooks, looking, common } = sorted(rules);
  const by = (kind: Kind) => remembered(common[kind], (name) => looking[kind](name, UNASKED));
  const [calls, methods, known] = [by("calls"), by("methods"), by("properties")];
  return {
    having: hooks,
    callsOf: calls,
    methodsOf: methods,
    isPathSeen: remembered(
      common.paths,
      (path) =>
        isSetter(path) || isElementMaker(path.slice(path.lastIndexOf(".") + 1)) || calls(path).length > 0,
    ),
    isMethodSeen: remembered(common.names, (name) => isMeaningful(name) || methods(name).length > 0),
    propertiesOf: (key, owner) => (key.includes(HOLE) ? looking.properties(key, owner) : known(key)),
    attributesOf: by("attributes"),
  };
}

const KINDS = ["calls", "methods", "properties", "attributes"] as const;
type Kind = (typeof KINDS)[number];

/** Data that is computed once for each list of rules. */
interface Sorted {
  hooks: Record<Hook, Looking>;
  looking: Record<Kind, (name: string, owner: Value) => Looking>;
  /** Results that all files share: names such as `useState` and `className` occur in most files. */
  common: Record<Kind, Map<string, Looking>> & Record<"paths" | "names", Map<string, boolean>>;
}

const SORTED = new WeakMap<Looking, Sorted>();

function sorted(rules: Looking): Sorted {
  let known = SORTED.get(rules);
  if (known !== undefined) return known;
  known = { hooks: {}, looking: {}, common: { paths: new Map(), names: new Map() } } as unknown as Sorted;
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

/** The owner that is passed for a key that is fully known. */
const UNASKED: Value = { kind: "unknown", taint: 0 };
/** Maximum number and length of the names that all files share: files from strangers must not fill the memory. */
const COMMON = 4000;
const COMMON_LENGTH = 40;

/** A function that caches the result for each name of a file, and for most names across files. */
function remembered<Answer>(
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
