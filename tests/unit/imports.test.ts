import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parse } from "@babel/parser";
import { describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../../packages/core/src");

describe("packages/core", () => {
  test("no files import one another's values in a circle", () => {
    const files = readdirSync(ROOT, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".ts"),
    );
    expect(files.length).toBeGreaterThan(50);
    const imports = new Map(files.map((name) => [name, importsOf(name)]));
    expect(circlesIn(imports)).toEqual([]);
  });

  test("the walk sees a circle, and none in imports of types", () => {
    const circle = new Map([
      ["a.ts", ["b.ts"]],
      ["b.ts", ["c.ts"]],
      ["c.ts", ["a.ts"]],
      ["d.ts", ["a.ts"]],
    ]);
    expect(circlesIn(circle)).toEqual([["a.ts", "b.ts", "c.ts"]]);
    expect(valuesIn(`import type { A } from "./a.ts"; import { type B } from "./b.ts";`)).toEqual([]);
    expect(valuesIn(`import { type B, b } from "./b.ts"; export * from "./c.ts"; import "./d.ts";`)).toEqual([
      "./b.ts",
      "./c.ts",
      "./d.ts",
    ]);
  });
});

/** The files whose values a file imports. */
function importsOf(name: string): string[] {
  return valuesIn(readFileSync(join(ROOT, name), "utf8"))
    .filter((from) => from.startsWith("."))
    .map((from) => relative(ROOT, join(ROOT, dirname(name), from)));
}

/** The modules from which a source takes more than types. */
function valuesIn(source: string): string[] {
  return parse(source, { sourceType: "module", plugins: ["typescript"] }).program.body.flatMap((node) => {
    if (node.type === "ImportDeclaration") {
      const types = node.specifiers.every(
        (one) => one.type === "ImportSpecifier" && one.importKind === "type",
      );
      return node.importKind === "type" || (types && node.specifiers.length > 0) ? [] : [node.source.value];
    }
    if (node.type !== "ExportNamedDeclaration" && node.type !== "ExportAllDeclaration") return [];
    return node.source && node.exportKind !== "type" ? [node.source.value] : [];
  });
}

/** The sets of files each of which is reached from every other, by Tarjan's algorithm. */
function circlesIn(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (file: string) => {
    order.set(file, order.size);
    lowest.set(file, order.get(file) ?? 0);
    open.push(file);
    for (const next of imports.get(file) ?? []) {
      if (!order.has(next)) visit(next);
      else if (!open.includes(next)) continue;
      lowest.set(file, Math.min(lowest.get(file) ?? 0, lowest.get(next) ?? 0));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const circle = open.splice(open.indexOf(file));
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return circles;
}
