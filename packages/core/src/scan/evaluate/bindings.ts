import type * as t from "@babel/types";
import { overwrite, type Binding, Scope } from "../scope.ts";
import { host, join, options, SPENT, UNDEFINED, UNKNOWN, type Value } from "../value.ts";
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
    if (outer !== null) for (const binding of written) outer.add(binding);
  }

  /** Gives the names of a pattern their values: as new names of the scope, or where they are declared already. */
  bind(pattern: t.Node | null | undefined, value: Value, scope: Scope, how: "declare" | "assign"): void {
    switch (pattern?.type) {
      case "Identifier": {
        const binding = how === "declare" ? null : scope.find(pattern.name);
        if (how === "declare") scope.declare(pattern.name, value);
        else if (binding === null) this.write(host(""), pattern.name, value, pattern);
        else {
          overwrite(binding, value, this.context);
          this.#written?.add(binding);
        }
        return;
      }
      case "AssignmentPattern":
        return this.bind(pattern.left, this.#withDefault(value, pattern.right, scope), scope, how);
      case "TSParameterProperty": {
        const { parameter } = pattern;
        this.bind(parameter, value, scope, how);
        const name = parameter.type === "AssignmentPattern" ? parameter.left : parameter;
        if (name.type === "Identifier")
          this.write(scope.frame.self, name.name, this.readName(name.name, scope), pattern);
        return;
      }
      case "ArrayPattern":
        pattern.elements.forEach((element, at) => {
          const rest = element?.type === "RestElement" ? this.list(this.items(value).slice(at)) : null;
          if (element?.type === "RestElement") this.bind(element.argument, rest ?? UNKNOWN, scope, how);
          else this.bind(element, this.member(value, String(at)), scope, how);
        });
        return;
      case "ObjectPattern":
        for (const property of pattern.properties)
          if (property.type === "RestElement") this.bind(property.argument, value, scope, how);
          else this.bind(property.value, this.member(value, this.key(property, scope)), scope, how);
        return;
      case "MemberExpression":
      case "OptionalMemberExpression": {
        const owner =
          pattern.object.type === "Super" ? scope.frame.self : this.evaluate(pattern.object, scope);
        const { property, computed } = pattern;
        const keys = computed
          ? this.texts(this.evaluate(property, scope))
          : [this.key({ key: property }, scope)];
        for (const key of keys) this.write(owner, key, value, pattern);
        return;
      }
      case "TSAsExpression":
      case "TSNonNullExpression":
      case "TSSatisfiesExpression":
      case "ParenthesizedExpression":
        return this.bind(pattern.expression, value, scope, how);
    }
  }

  /** The name of a member, computed or not; a hole when it is not known. */
  key({ key, computed }: { computed?: boolean | null; key: t.Node }, scope: Scope): string {
    if (key.type === "Identifier" && computed !== true) return key.name;
    return key.type === "PrivateName" ? `#${key.id.name}` : this.text(this.evaluate(key, scope));
  }

  #withDefault(value: Value, node: t.Node, scope: Scope): Value {
    const given = options(value).filter(
      (one) => one !== UNDEFINED && !(one.kind === "constant" && one.value === undefined),
    );
    const isMissing = given.length < options(value).length || given.some(({ kind }) => kind === "unknown");
    return isMissing ? join([this.evaluate(node, scope), ...given]) : value;
  }

  /** Declares the names of an import: members of a package. Types have no value. */
  bindImports(node: t.ImportDeclaration, scope: Scope): void {
    const path = `npm:${node.source.value.replace(/^node:/, "")}`;
    for (const one of node.importKind === "type" ? [] : node.specifiers) {
      if (one.type === "ImportSpecifier" && one.importKind === "type") continue;
      const name = one.type === "ImportSpecifier" ? this.key({ key: one.imported }, scope) : "default";
      scope.declare(one.local.name, host(name === "default" ? path : `${path}.${name}`));
    }
  }
}
