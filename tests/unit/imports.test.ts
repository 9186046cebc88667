import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "@babel/parser";
import { describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

interface Import {
  /** The path of the file from the root of the repository. */
  file: string;
  /** The specifier in the import. */
  specifier: string;
  /** The file of the repository that the specifier names; null for a library. */
  target: string | null;
  isType: boolean;
}

/** The file of each `@keyhub/…` name. */
const entries = new Map(
  packages().flatMap((name) => {
    const text = readFileSync(join(ROOT, "packages", name, "package.json"), "utf8");
    const { exports = {} } = JSON.parse(text) as { exports?: Record<string, unknown> };
    return Object.entries(exports).flatMap(([entry, file]) =>
      typeof file === "string" ? [[`@keyhub/${name}${entry.slice(1)}`, join("packages", name, file)]] : [],
    ) as [string, string][];
  }),
);

const files = ["packages", "supabase/functions"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !/(^|\/)(node_modules|dist|\..*)\//.test(name))
    .map((name) => join(folder, name)),
);
const imports = files.flatMap((file) =>
  importsIn(readFileSync(join(ROOT, file), "utf8"), file.endsWith("x")).map(
    ({ specifier, isType }): Import => ({ file, specifier, target: targetOf(file, specifier), isType }),
  ),
);

describe("imports of packages/ and supabase/functions/", () => {
  test("no files import one another in a circle, types included", () => {
    expect(files.length).toBeGreaterThan(300);
    expect(circlesIn(graphOf(imports))).toEqual([]);
  });

  test("no files import one another's values in a circle", () => {
    expect(circlesIn(graphOf(imports.filter(({ isType }) => !isType)))).toEqual([]);
  });

  test("no package imports another by path", () => {
    const byPath = imports.filter(
      ({ file, specifier, target }) =>
        specifier.startsWith(".") && packageOf(target ?? "") !== packageOf(file) && target !== BUILD,
    );
    expect(byPath.map(({ file, specifier }) => `${file}: ${specifier}`)).toEqual([]);
  });
});

describe("the walk", () => {
  test("sees a circle, and none where there is none", () => {
    const circle = new Map([
      ["a.ts", ["b.ts"]],
      ["b.ts", ["c.ts"]],
      ["c.ts", ["a.ts"]],
      ["d.ts", ["a.ts"]],
    ]);
    expect(circlesIn(circle)).toEqual([["a.ts", "b.ts", "c.ts"]]);
    expect(circlesIn(new Map([["d.ts", ["a.ts"]]]))).toEqual([]);
  });

  test("knows imports of types alone from those of values", () => {
    const specifiers = (source: string, isType: boolean) =>
      importsIn(source)
        .filter((one) => one.isType === isType)
        .map(({ specifier }) => specifier);
    const types = `import type { A } from "./a.ts"; import { type B } from "./b.ts"; let c: import("./c.ts").C;`;
    expect(specifiers(types, false)).toEqual([]);
    expect(specifiers(types, true)).toEqual(["./a.ts", "./b.ts", "./c.ts"]);
    const values = `import { type B, b } from "./b.ts"; export * from "./c.ts"; import "./d.ts"; import("./e.ts");`;
    expect(specifiers(values, true)).toEqual([]);
    expect(specifiers(values, false)).toEqual(["./b.ts", "./c.ts", "./d.ts", "./e.ts"]);
  });
});

/** The only file of packages/ that belongs to no package: the builds of published packages share it. */
const BUILD = join("packages", "build.ts");

function packages(): string[] {
  return readdirSync(join(ROOT, "packages"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "python")
    .map(({ name }) => name);
}

/** Returns the package of a file, such as `packages/core`; all files of `supabase/functions` are one package. */
function packageOf(file: string): string {
  return file.split("/").slice(0, 2).join("/");
}

function targetOf(file: string, specifier: string): string | null {
  return specifier.startsWith(".") ? join(dirname(file), specifier) : (entries.get(specifier) ?? null);
}

function graphOf(some: readonly Import[]): Map<string, string[]> {
  const graph = new Map<string, string[]>(files.map((file) => [file, []]));
  for (const { file, target } of some) if (target !== null) graph.get(file)?.push(target);
  return graph;
}

/** Returns the imports of a source, and whether each imports only types. */
function importsIn(source: string, isJsx = false): { specifier: string; isType: boolean }[] {
  const { program } = parse(source, {
    sourceType: "module",
    plugins: isJsx ? ["typescript", "jsx"] : ["typescript"],
    createImportExpressions: true,
  });
  const found: { specifier: string; isType: boolean }[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, source: from, importKind, exportKind, specifiers } = node as Record<string, unknown>;
    const specifier = (from as { value?: unknown } | null | undefined)?.value;
    if (typeof specifier === "string" && typeof type === "string" && /^(TS)?(Import|Export)/.test(type)) {
      const taken = (specifiers ?? []) as { importKind?: string; exportKind?: string }[];
      const onlyTypes =
        taken.length > 0 && taken.every((one) => (one.importKind ?? one.exportKind) === "type");
      const isType = type === "TSImportType" || importKind === "type" || exportKind === "type" || onlyTypes;
      found.push({ specifier, isType });
    }
    for (const [key, value] of Object.entries(node)) if (key !== "loc") visit(value);
  };
  visit(program.body);
  return found;
}

/** Returns the sets of files that all reach each other, by Tarjan's algorithm. */
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
