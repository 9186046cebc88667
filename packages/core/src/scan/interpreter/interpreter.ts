import type * as t from "@babel/types";
import type { Program } from "../program/program.ts";
import type { Binding, Definition, Scope } from "../program/scope.ts";
import { callValue, followCall } from "./calls/call.ts";
import type { Arguments } from "./calls/invocation.ts";
import { definitionOf } from "./core/definition.ts";
import { evaluate } from "./core/evaluate.ts";
import { memberOf, membersOf } from "./members/member.ts";
import type { Shape } from "./members/shape.ts";
import { charwiseCallsIn } from "./text/charwise.ts";
import type { Frame, Value } from "./value.ts";

/**
 * Follows values through one file: which values may this expression have? It runs nothing. Results are cached per
 * expression, name and call; budget.ts limits the cost.
 *
 * An expression may need a call, a call a member, a member a definition, and a definition an expression. These are
 * methods here, so that the files that evaluate them import only this type and never one another in a circle.
 */
export class Interpreter {
  readonly program: Program;
  readonly expressions = new Map<t.Node, Value>();
  readonly bindings = new Map<Binding, Value>();
  /** Results of followed calls, by function and arguments. */
  readonly calls = new Map<t.Function, Map<string, Value>>();
  /** Numbers for nodes, so that a string key can distinguish arguments. */
  readonly numbers = new Map<object, number>();
  /** Values that the file assigns to properties, by the node of the object, class or function. */
  readonly properties = new Map<t.Node, Map<string, Definition[]>>();
  /** Values that the file assigns to global names and members of host objects, by path. */
  readonly hostWrites = new Map<string, Definition[]>();
  readonly shapes = new Map<t.Node, Shape<never>>();
  /** Values assigned to properties of elements that the file creates. */
  readonly elementWrites = new Map<Value, Map<string, Value>>();
  /** Some element of the file contains data that may be read back from unknown elements. */
  hasJsxValues = false;
  depth = 0;
  /** Where the source builds strings letter by letter (offsets). */
  readonly charwiseCalls: readonly number[];
  /** Whether the source names cookies or storage: values computed from them must keep that taint. */
  readonly private: boolean;
  /** The functions whose calls are being followed, outermost first. */
  readonly following: t.Function[] = [];
  /** The properties that are being looked up, outermost first. */
  readonly reading: { node: t.Node; key: string }[] = [];

  constructor(program: Program) {
    this.program = program;
    this.charwiseCalls = charwiseCallsIn(program);
    this.private = program.namesPrivateData;
  }

  /**
   * The possible values of an expression. `env` is the call that is being followed, if any: its arguments are the
   * values of the parameters.
   */
  evaluate(node: t.Node, scope: Scope, env: Frame | null): Value {
    return evaluate(this, node, scope, env);
  }

  /** The result of calling a value. */
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

  /** `object[key]` for all alternatives of object and key. */
  members(object: Value, key: Value): Value {
    return membersOf(this, object, key);
  }

  /** The value of one definition of a name. */
  definition(definition: Definition, env: Frame | null): Value {
    return definitionOf(this, definition, env);
  }

  /** Clears results that were computed before everything was linked. */
  forget(): void {
    this.expressions.clear();
    this.bindings.clear();
    this.calls.clear();
  }
}
