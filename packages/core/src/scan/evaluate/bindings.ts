import type * as t from "@babel/types";
import { host, isMissing, join, options, overwrite, type Scope, UNDEFINED, type Value } from "../value.ts";
import { Calls } from "./calls.ts";

/** Reads variables, and assigns values to variables, members and destructuring patterns. */
export abstract class Bindings extends Calls {
  abstract evaluate(node: t.Node | null | undefined, scope: Scope): Value;

  readName(name: string, scope: Scope): Value {
    const binding = scope.find(name);
    if (binding !== undefined) return binding.value;
    return name === "undefined" ? UNDEFINED : this.member(host(""), name);
  }

  /** Assigns a value to the names of a pattern: declares the names in `target`, or, if `target` is null, writes to existing names. */
  bind(pattern: t.Node | null | undefined, value: Value, scope: Scope, target: Scope | null = null): void {
    if (this.budget.repeats && !this.budget.charge()) return;
    switch (pattern?.type) {
      case "Identifier": {
        const binding = scope.find(pattern.name);
        if (target !== null) target.declare(pattern.name, value, this.context);
        else if (binding !== undefined) overwrite(binding, value, this.context);
        else this.write(host(""), pattern.name, value, pattern);
        return;
      }
      case "AssignmentPattern": {
        const isOpen = options(value).some((one) => isMissing(one) || one.kind === "unknown");
        const bound = isOpen ? join([this.evaluate(pattern.right, scope), value]) : value;
        this.bind(pattern.left, bound, scope, target);
        return;
      }
      case "TSParameterProperty":
        this.bind(pattern.parameter, value, scope, target);
        return;
      case "RestElement":
        this.bind(pattern.argument, value, scope, target);
        return;
      case "ArrayPattern":
        for (const [at, element] of pattern.elements.entries()) {
          const isRest = element?.type === "RestElement";
          const item = isRest ? this.list(this.items(value).slice(at)) : this.member(value, `${at}`);
          this.bind(element, item, scope, target);
        }
        return;
      case "ObjectPattern":
        for (const one of pattern.properties)
          if (one.type === "RestElement") this.bind(one, value, scope, target);
          else this.bind(one.value, this.member(value, this.key(one, scope)), scope, target);
        return;
      case "MemberExpression": {
        const owner = this.evaluate(pattern.object, scope);
        for (const key of this.keys(pattern, scope)) this.write(owner, key, value, pattern);
        return;
      }
    }
  }

  /** Returns the name of a member, also of a computed one. Unknown parts of the name are holes. */
  key({ key, computed }: { computed?: boolean | null; key: t.Node }, scope: Scope): string {
    if (key.type === "Identifier" && computed !== true) return key.name;
    return key.type === "PrivateName" ? `#${key.id.name}` : this.text(this.evaluate(key, scope));
  }

  /** Returns the names that a member expression may mean. */
  keys({ property, computed }: { property: t.Node; computed?: boolean | null }, scope: Scope): string[] {
    return computed ? this.texts(this.evaluate(property, scope)) : [this.key({ key: property }, scope)];
  }
}
