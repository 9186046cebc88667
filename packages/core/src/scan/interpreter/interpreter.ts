import type * as t from "@babel/types";
import type { Program } from "../program/program.ts";
import type { Binding, Definition, Scope } from "../program/scope.ts";
import { callValue, followCall } from "./calls/call.ts";
import type { Arguments } from "./calls/invocation.ts";
import { definitionOf } from "./core/definition.ts";
import { evaluate } from "./core/evaluate.ts";
import { memberOf, membersOf } from "./members/member.ts";
import type { Shape } from "./members/shape.ts";
import { spellingsIn } from "./text/spelling.ts";
import type { Frame, Value } from "./value.ts";

/**
 * Follows values through one file: what may this expression hold? It runs nothing. Results are remembered per
 * expression, name and call; what following may cost is counted in budget.ts.
 *
 * An expression may need a call, a call a member, a member a definition, and a definition an expression. These are
 * methods here, so that the files that work them out import this type alone and never one another in a circle.
 */
export class Interpreter {
  readonly program: Program;
  readonly expressions = new Map<t.Node, Value>();
  readonly bindings = new Map<Binding, Value>();
  /** Results of calls that were followed, by function and arguments. */
  readonly calls = new Map<t.Function, Map<string, Value>>();
  /** Numbers for nodes, so that arguments can be told apart by text. */
  readonly numbers = new Map<object, number>();
  /** What the file puts into properties, by the node of the object, class or function that has them. */
  readonly properties = new Map<t.Node, Map<string, Definition[]>>();
  /** What the file puts into global names and members of host objects, by path. */
  readonly hostWrites = new Map<string, Definition[]>();
  readonly shapes = new Map<t.Node, Shape<never>>();
  /** What is put into the properties of elements that the file makes. */
  readonly elementWrites = new Map<Value, Map<string, Value>>();
  /** Some element of the file holds what may be read back from elements that are not known. */
  shown = false;
  depth = 0;
  /** Where the source spells texts letter by letter. */
  readonly spelled: readonly number[];
  /** Whether the source names cookies or storage, which everything made of them is to tell. */
  readonly private: boolean;
  /** The functions whose calls are being followed, outermost first. */
  readonly following: t.Function[] = [];
  /** The properties that are being looked up, outermost first. */
  readonly reading: { node: t.Node; key: string }[] = [];

  constructor(program: Program) {
    this.program = program;
    this.spelled = spellingsIn(program);
    this.private = program.kept;
  }

  /**
   * What an expression may hold. `env` is the call that is being followed, if any: inside one, parameters hold that
   * call's arguments.
   */
  evaluate(node: t.Node, scope: Scope, env: Frame | null): Value {
    return evaluate(this, node, scope, env);
  }

  /** What calling a value gives back. */
  call(callee: Value, args: Arguments): Value {
    return callValue(this, callee, args);
  }

  /** What a function of the file returns for these arguments. */
  follow(fn: Value, args: Value[]): Value {
    return followCall(this, fn, args);
  }

  /** `object.key`. */
  member(object: Value, key: string): Value {
    return memberOf(this, object, key);
  }

  /** `object[key]` for everything that object and key may be. */
  members(object: Value, key: Value): Value {
    return membersOf(this, object, key);
  }

  /** The value that one definition of a name brings. */
  definition(definition: Definition, env: Frame | null): Value {
    return definitionOf(this, definition, env);
  }

  /** Forgets results that were worked out before everything was linked. */
  forget(): void {
    this.expressions.clear();
    this.bindings.clear();
    this.calls.clear();
  }
}
