import { HOLE, type Value } from "../interpreter/value.ts";
import { isElementMaker } from "./common/makers.ts";
import { isMeaningful } from "./common/methods.ts";
import { isSetter } from "./common/setters.ts";
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
  /** Whether calls of a path, or of a method by its name, are looked at: by a rule, or because they write something. */
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

/** What is made once for each list of rules. */
interface Sorted {
  hooks: Record<Hook, Looking>;
  looking: Record<Kind, (name: string, owner: Value) => Looking>;
  /** Answers that all files share: names such as `useState` and `className` stand in most of them. */
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

/** A key that is wholly known is asked about without its owner. */
const UNASKED: Value = { kind: "unknown", taint: 0 };
/** Names that all files share, at most, and how long they may be: what strangers send must not fill the memory. */
const COMMON = 4000;
const COMMON_LENGTH = 40;

/** A function that remembers the answer for each name of a file, and for most names in other files too. */
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
      // A copy: engines keep the whole source in memory for the sake of a slice of it.
      else common.set([...name].join(""), answer);
    }
    return answer;
  };
}
