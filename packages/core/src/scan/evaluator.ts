import type * as t from "@babel/types";
import { assignedNames } from "./assigned.ts";
import { callHost, constructHost } from "./host-calls.ts";
import { EXPRESSIONS, type Read } from "./expressions.ts";
import { hostText } from "./hosts.ts";
import { Budget, MAX_CALLS, MAX_SCOPES, MAX_TEXT } from "./limits.ts";
import { memberOf, setMember } from "./members.ts";
import { callMethod } from "./methods.ts";
import { type Binding, type Frame, overwrite, Scope, varsOf } from "./scope.ts";
import type { Act } from "./sinks/sink.ts";
import { bindPattern } from "./patterns.ts";
import { hoistBlock, runBlock } from "./statements.ts";
import {
  type Closure,
  constant,
  each,
  HIDDEN,
  HOLE,
  host,
  join,
  options,
  type Record_,
  SPENT,
  UNDEFINED,
  UNKNOWN,
  type Value,
} from "./value.ts";

/** What is looked at by itself after the code around it: a function, or a branch that a known condition skips. */
type Waiting = { closure: Closure; again: boolean } | { skipped: t.Statement | t.Expression; scope: Scope };

/**
 * Runs a program on values that may be unknown: statements in their order, both branches of a condition that is not
 * known, and each function once by itself besides its calls. It calls no function of the browser and none of the file:
 * those of the file are evaluated, those of the browser are acts that `onAct` is told of.
 */
export class Evaluator {
  readonly budget = new Budget();
  /** What the file writes to global names and to members of host objects, by path. */
  readonly globals = new Map<string, Value>();
  /** The run, branch or loop that is evaluated now. A value made in the same one is changed for certain. */
  context = 0;
  /** Set when a branch that may be taken returned or broke out. */
  mayHaveEnded = false;
  readonly #onAct: (act: Act, evaluator: Evaluator) => void;
  #contexts = 0;
  /** The first context of the function that is looked at by itself now, and that function. */
  #run = 0;
  #alone: Closure | null = null;
  #calls = 0;
  #waiting: Waiting[] = [];
  #looks = new Map<t.Node, number>();
  /** Functions that need no look of their own any more, and those that had a second one. */
  #done = new Set<t.Node>();
  #repeated = new Set<Closure>();
  /** How often a function is called inside itself at the moment. */
  #recursion = new Map<t.Node, number>();

  constructor(onAct: (act: Act, evaluator: Evaluator) => void) {
    this.#onAct = onAct;
  }

  run(program: t.Program): void {
    const self = host("");
    const frame: Frame = { self, closure: null, args: [], returned: [], yielded: [], context: 0 };
    const scope = new Scope(null, 0, frame);
    for (const name of varsOf(program, true)) scope.hoist(name);
    hoistBlock(this, program.body, scope);
    for (const { value } of program.directives) this.evaluate(value, scope);
    runBlock(this, program.body, scope);
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) this.#look(next);
  }

  act(act: Act): void {
    this.#onAct(act, this);
  }

  evaluate(node: t.Node | null | undefined, scope: Scope): Value {
    if (node == null) return UNDEFINED;
    if (this.budget.repeats && !this.budget.step()) return SPENT;
    const read = EXPRESSIONS[node.type] as Read<t.Node> | undefined;
    return read === undefined ? UNKNOWN : read(this, node, scope);
  }

  /** Runs what may happen or may not: writes inside add alternatives. */
  maybe<T>(work: () => T): T {
    const before = this.context;
    this.context = ++this.#contexts;
    try {
      return work();
    } finally {
      this.context = before;
    }
  }

  /** A branch that a known condition skips is looked at once, after all else. */
  skip(node: t.Statement | t.Expression | null | undefined, scope: Scope): void {
    if (node != null && !this.budget.repeats && !this.#looks.has(node))
      this.#waiting.push({ skipped: node, scope });
  }

  /** A function that was made: it is looked at by itself later. */
  made(closure: Closure): Closure {
    const looks = this.#looks.get(closure.node) ?? 0;
    if (looks === 0 || (looks < MAX_SCOPES && this.budget.repeats && this.budget.left)) {
      this.#looks.set(closure.node, looks + 1);
      this.#waiting.push({ closure, again: looks > 0 });
    }
    return closure;
  }

  readName(name: string, scope: Scope): Value {
    const binding = scope.find(name);
    if (binding === null) return name === "undefined" ? UNDEFINED : memberOf(this, host(""), name);
    if (binding.context < this.#run && this.#alone !== null) {
      binding.readers ??= new Set();
      binding.readers.add(this.#alone);
    }
    return binding.value;
  }

  writeName(name: string, value: Value, scope: Scope, node: t.Node): void {
    const binding = scope.find(name);
    if (binding === null) this.write(host(""), name, value, node);
    else this.#overwrite(binding, value);
  }

  #overwrite(binding: Binding, value: Value): void {
    overwrite(binding, value, this.context);
    if (binding.readers === null || binding.context >= this.#run || value.kind === "unknown") return;
    // Functions that were looked at before this write see it in a second look.
    for (const closure of binding.readers)
      if (closure !== this.#alone && !this.#repeated.has(closure)) {
        this.#repeated.add(closure);
        this.#waiting.push({ closure, again: true });
      }
  }

  member(owner: Value, key: string | null): Value {
    return each(owner, (option) => memberOf(this, option, key));
  }

  write(owner: Value, key: string | null, value: Value, node: t.Node, attribute = false): void {
    for (const option of options(owner)) setMember(this, option, key, value);
    this.act({ kind: "write", owner, key, value, node, attribute });
  }

  /** The string that a value is, with holes. */
  text(value: Value): string {
    switch (value.kind) {
      case "constant":
        return String(value.value);
      case "host":
        return hostText(value.path);
      case "list": {
        const parts: string[] = [];
        let length = 0;
        for (const item of value.items) {
          const part = this.text(item);
          length += part.length + 1;
          if (length > MAX_TEXT) return HIDDEN;
          parts.push(part);
        }
        return parts.join();
      }
      case "object": {
        const address = value.props.get("#address");
        if (address !== undefined) return this.text(address);
        const own = this.member(value, "toString");
        if (own.kind === "function" && this.#calls < MAX_CALLS)
          return this.text(this.call(own, value, [], own.node));
        const plain = this.member(value, "valueOf");
        if (plain.kind === "function" && this.#calls < MAX_CALLS)
          return this.text(this.call(plain, value, [], plain.node));
        return HOLE;
      }
      case "any":
        return this.text(value.options[0] ?? UNKNOWN);
      case "unknown":
        return value.spent === true ? HIDDEN : HOLE;
      default:
        return HOLE;
    }
  }

  /** The strings that the alternatives of a value are. */
  texts(value: Value): string[] {
    return options(value).map((option) => this.text(option));
  }

  call(callee: Value, self: Value | null, args: Value[], node: t.Node): Value {
    return each(callee, (option) => {
      switch (option.kind) {
        case "function":
          return isClass(option.node) ? UNKNOWN : this.#callOwn(option, self ?? host(""), args);
        case "bound":
          return this.call(option.to, option.self, [...option.args, ...args], node);
        case "method":
          return callMethod(this, self ?? option.on, option.key, args, node);
        case "host":
          this.act({ kind: "call", path: option.path, key: lastOf(option.path), on: self, args, node });
          return callHost(this, option.path, self, args, node);
        case "unknown":
          this.act({ kind: "callUnknown", spent: option.spent === true, node });
          return option;
        default:
          return UNKNOWN;
      }
    });
  }

  construct(callee: Value, args: Value[], node: t.Node): Value {
    return each(callee, (option) => {
      if (option.kind === "bound") return this.construct(option.to, [...option.args, ...args], node);
      if (option.kind === "host") {
        this.act({ kind: "call", path: option.path, key: lastOf(option.path), on: null, args, node });
        return constructHost(this, option.path, args);
      }
      if (option.kind === "unknown") {
        this.act({ kind: "callUnknown", spent: option.spent === true, node });
        return UNKNOWN;
      }
      return option.kind === "function" ? this.instance(option, args, node) : UNKNOWN;
    });
  }

  /** A new object of a class or function of the file; without arguments when any may be given. */
  instance(of: Closure, args: Value[] | null, node: t.Node): Value {
    const self: Record_ = { kind: "object", props: new Map(), of: of.prototype, context: this.context };
    this.initialise(of, self, args, node);
    return self;
  }

  /** Sets the fields of a class and runs its constructor on an object. */
  initialise(of: Closure, self: Value, args: Value[] | null, node: t.Node): void {
    if (args !== null && (this.#calls >= MAX_CALLS || !this.budget.left)) return;
    if (!isClass(of.node)) {
      this.#callOwn(of, self, args ?? []);
      return;
    }
    this.#calls++;
    try {
      const frame: Frame = { ...of.scope.frame, self, closure: of };
      const scope = new Scope(of.scope, this.context, frame);
      const constructor = of.props.get("#constructor");
      const own = constructor?.kind === "function" ? constructor : null;
      if (own === null && of.home !== null) this.superCall(of.home, self, args ?? [], node);
      for (const member of of.node.body.body)
        if ((member.type === "ClassProperty" || member.type === "ClassPrivateProperty") && !member.static) {
          const key =
            member.type === "ClassPrivateProperty" ? `#${member.key.id.name}` : this.key(member, scope);
          if (key !== null) setMember(this, self, key, this.evaluate(member.value, scope));
        }
      if (own !== null) this.#activate(own, self, args);
    } finally {
      this.#calls--;
    }
  }

  superCall(parent: Value, self: Value, args: Value[], node: t.Node): void {
    for (const option of options(parent))
      if (option.kind === "function") this.initialise(option, self, args, node);
      else this.construct(option, args, node);
  }

  /** The name of a member, computed or not; null when it is not known. */
  key(member: { computed?: boolean | null; key: t.Node }, scope: Scope): string | null {
    const { key } = member;
    if (member.computed === true) return this.text(this.evaluate(key, scope));
    if (key.type === "Identifier") return key.name;
    if (key.type === "PrivateName") return `#${key.id.name}`;
    return this.text(this.evaluate(key, scope));
  }

  /** Runs a function on its own: with any arguments, as an event or the page may call it. */
  #look(waiting: Waiting): void {
    this.#run = this.context = ++this.#contexts;
    if ("skipped" in waiting) {
      const { skipped, scope } = waiting;
      this.#alone = null;
      this.#looks.set(skipped, 1);
      if (skipped.type in EXPRESSIONS) this.evaluate(skipped, scope);
      else runBlock(this, [skipped as t.Statement], scope);
      return;
    }
    const { closure, again } = waiting;
    if (!again && this.#done.has(closure.node) && (this.#looks.get(closure.node) ?? 0) <= 1) return;
    this.#alone = closure;
    const look = () => {
      if (isClass(closure.node)) this.#lookAtClass(closure);
      else this.#activate(closure, closure.home ?? UNKNOWN, null);
    };
    // The first look is not charged: it happens once for each function of the file.
    if (this.#done.has(closure.node)) this.budget.repeat(look);
    else look();
    this.#done.add(closure.node);
  }

  #lookAtClass(of: Closure): void {
    const self = this.instance(of, null, of.node);
    for (const method of of.prototype?.props.values() ?? []) this.#lookAtMember(method, self);
    for (const method of of.props.values()) this.#lookAtMember(method, of);
  }

  #lookAtMember(member: Value, self: Value): void {
    const parts = member.kind === "accessor" ? [member.get, member.set] : [member];
    for (const part of parts)
      if (
        part?.kind === "function" &&
        part.node.type.startsWith("Class") &&
        !isClass(part.node) &&
        !this.#looks.has(part.node)
      ) {
        this.#looks.set(part.node, 1);
        this.#activate(part, self, null);
      }
  }

  #callOwn(closure: Closure, self: Value, args: Value[]): Value {
    const { node } = closure;
    if (this.#calls >= MAX_CALLS || !this.budget.left) return SPENT;
    const depth = this.#recursion.get(node) ?? 0;
    if (depth > 0 && args.every(({ kind }) => kind === "unknown")) return UNKNOWN;
    const isLook = !this.budget.repeats && args.length === 0 && !this.#done.has(node);
    this.#calls++;
    this.#recursion.set(node, depth + 1);
    try {
      // Called without arguments, where it is made: this is its look.
      if (isLook && !isClass(node) && node.params.length === 0) {
        this.#done.add(node);
        return this.#activate(closure, self, args);
      }
      return this.budget.repeat(() => this.#activate(closure, self, args));
    } finally {
      this.#calls--;
      this.#recursion.set(node, depth);
    }
  }

  /** Runs the body of a function; without `args` any may be given. */
  #activate(closure: Closure, self: Value, args: Value[] | null): Value {
    const node = closure.node as t.Function;
    const outer = closure.scope.frame;
    const arrow = node.type === "ArrowFunctionExpression";
    const frame: Frame = {
      self: arrow ? outer.self : self,
      closure: arrow ? outer.closure : closure,
      args: arrow ? outer.args : (args ?? []),
      returned: [],
      yielded: [],
      context: this.context,
    };
    const scope = new Scope(closure.scope, this.context, frame);
    if (node.type === "FunctionExpression" && node.id != null) scope.declare(node.id.name, closure);
    node.params.forEach((param, index) => {
      const given = args === null ? UNKNOWN : (args[index] ?? UNDEFINED);
      if (param.type === "RestElement") {
        const rest: Value = { kind: "list", items: args?.slice(index) ?? [UNKNOWN], context: this.context };
        bindPattern(this, param.argument, rest, scope, "declare");
      } else bindPattern(this, param, given, scope, "declare");
    });
    for (const name of varsOf(node.body, false)) scope.hoist(name);
    if (node.body.type !== "BlockStatement") return this.evaluate(node.body, scope);
    hoistBlock(this, node.body.body, scope);
    const end = runBlock(this, node.body.body, scope);
    if (node.generator === true) return { kind: "list", items: frame.yielded, context: this.context };
    if (end === null && frame.returned.length > 0) frame.returned.push(UNDEFINED);
    return frame.returned.length === 0 ? UNDEFINED : join(frame.returned);
  }

  /** Makes unknown what a loop would have gone on to change when nothing was left. */
  spoil(loop: t.Node, scope: Scope): void {
    for (const name of assignedNames(loop)) {
      const binding = scope.find(name);
      if (binding !== null) binding.value = SPENT;
    }
  }

  constantText(text: string): Value {
    return text.length > MAX_TEXT ? SPENT : constant(text);
  }
}

const lastOf = (path: string) => path.slice(path.lastIndexOf(".") + 1);

function isClass(node: t.Node): node is t.Class {
  return node.type === "ClassDeclaration" || node.type === "ClassExpression";
}
