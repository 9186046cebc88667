import type * as t from "@babel/types";
import { type Binding, overwrite, type Scope } from "../scope.ts";
import { host, isMissing, join, options, SPENT, UNDEFINED, type Value } from "../value.ts";
import { Calls } from "./calls.ts";

/** Names and patterns: what is read from them and written to them. */
export abstract class Bindings extends Calls {
  /** The names that the loops which run now have written. */
  #written: Set<Binding> | null = null;

  readName(name: string, scope: Scope): Value {
    const binding = scope.find(name);
    if (binding !== null) return binding.value;
    return name === "undefined" ? UNDEFINED : this.member(host(""), name);
  }

  /** Runs a loop; what it wrote is beyond the budget if it did not come to its end. */
  spoilable(loop: () => boolean): void {
    const outer = this.#written;
    const written = new Set<Binding>();
    this.#written = written;
    if (!loop()) for (const binding of written) binding.value = SPENT;
    this.#written = outer;
    for (const binding of written) outer?.add(binding);
  }

  /** Gives the names of a pattern their values: as new names of a scope, or where they are declared already. */
  bind(pattern: t.Node | null | undefined, value: Value, scope: Scope, target: Scope | null = null): void {
    if (this.budget.repeats && !this.budget.charge()) return;
    switch (pattern?.type) {
      case "Identifier": {
        target?.declare(pattern.name, value, this.context);
        const binding = target === null ? scope.find(pattern.name) : null;
        if (binding === null && target === null) this.write(host(""), pattern.name, value, pattern);
        if (binding === null) return;
        overwrite(binding, value, this.context);
        this.#written?.add(binding);
        return;
      }
      case "AssignmentPattern": {
        const given = options(value).filter((one) => !isMissing(one));
        const isOpen = given.length < options(value).length || given.some(({ kind }) => kind === "unknown");
        const bound = isOpen ? join([this.evaluate(pattern.right, scope), ...given]) : value;
        this.bind(pattern.left, bound, scope, target);
        return;
      }
      case "RestElement":
        this.bind(pattern.argument, value, scope, target);
        return;
      case "TSParameterProperty": {
        const { parameter } = pattern;
        this.bind(parameter, value, scope, target);
        const name = parameter.type === "AssignmentPattern" ? parameter.left : parameter;
        this.write(scope.frame.self, this.key({ key: name }, scope), this.evaluate(name, scope), pattern);
        return;
      }
      case "ArrayPattern":
        for (const [at, element] of pattern.elements.entries()) {
          const isRest = element?.type === "RestElement";
          this.bind(
            element,
            isRest ? this.list(this.items(value).slice(at)) : this.member(value, `${at}`),
            scope,
            target,
          );
        }
        return;
      case "ObjectPattern":
        for (const one of pattern.properties)
          if (one.type === "RestElement") this.bind(one, value, scope, target);
          else this.bind(one.value, this.member(value, this.key(one, scope)), scope, target);
        return;
      case "MemberExpression": {
        const owner =
          pattern.object.type === "Super" ? scope.frame.self : this.evaluate(pattern.object, scope);
        for (const key of this.keys(pattern, scope)) this.write(owner, key, value, pattern);
        return;
      }
      case "TSAsExpression":
      case "TSNonNullExpression":
      case "ParenthesizedExpression":
        this.bind(pattern.expression, value, scope, target);
        return;
    }
  }

  /** The name of a member, computed or not; a hole when it is not known. */
  key({ key, computed }: { computed?: boolean | null; key: t.Node }, scope: Scope): string {
    if (key.type === "Identifier" && computed !== true) return key.name;
    return key.type === "PrivateName" ? `#${key.id.name}` : this.text(this.evaluate(key, scope));
  }

  /** The names that the member of an expression may have. */
  keys({ property, computed }: { property: t.Node; computed?: boolean | null }, scope: Scope): string[] {
    return computed ? this.texts(this.evaluate(property, scope)) : [this.key({ key: property }, scope)];
  }
}
