// biome-ignore-all lint/suspicious/noTemplateCurlyInString: sources are quoted
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Finding, scanComponent } from "../../../packages/core/src/scan/index.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";

const rulesOf = (source: string) => scanComponent(source).map(({ rule }) => rule);
const severityOf = (source: string) =>
  scanComponent(source).map(({ rule, severity }) => `${rule} ${severity}`);

describe("what a finding says", () => {
  test("place and code, in the order of the source", () => {
    const source = 'const a = 1;\r\n  fetch("https://a.example");\n\teval("x");\u2028eval(2)';
    expect(scanComponent(source)).toEqual([
      {
        rule: "external-request",
        severity: "medium",
        line: 2,
        column: 3,
        excerpt: 'fetch("https://a.example")',
      },
      { rule: "eval", severity: "high", line: 3, column: 2, excerpt: 'eval("x")' },
      { rule: "eval", severity: "high", line: 4, column: 1, excerpt: "eval(2)" },
    ]);
  });

  test("an excerpt is one line of at most 120 characters", () => {
    const [finding] = scanComponent(`eval(\`\n${"line\n".repeat(1000)}\`)`);
    expect(finding?.excerpt).toHaveLength(120);
    expect(finding?.excerpt).toMatch(/^eval\(` line line .*…$/);
  });

  test("an excerpt holds nothing invisible and no half of a character", () => {
    const [finding] = scanComponent(`eval("\u202e\u200b\u0007a", "${"😀".repeat(200)}")`);
    expect(finding?.excerpt).toMatch(/^eval\(" a", "/);
    expect(finding?.excerpt.isWellFormed()).toBe(true);
  });

  test("one place is one finding of a rule, and may be findings of two", () => {
    expect(rulesOf('location = "javascript:alert(1)"')).toEqual(["redirect", "script-injection"]);
    expect(rulesOf('el.innerHTML = "<script></script><img onerror=x><script></script>"')).toEqual([
      "script-injection",
    ]);
  });

  test("no more than 500", () => {
    expect(scanComponent("eval(1);\n".repeat(2000))).toHaveLength(500);
  });
});

describe("unparsable", () => {
  test.each([
    ["const a = ;", 1, 11],
    ["ok();\n\nfunction (", 3, 10],
    ["let x = `", 1, 10],
    ["<a><b></a>", 1, 7],
    ["const a = 1 const b = 2", 1, 12],
  ])("%j at %d:%d", (source, line, column) => {
    expect(scanComponent(source)).toMatchObject([{ rule: "unparsable", severity: "high", line, column }]);
  });

  test("a source longer than a component may be", () => {
    expect(scanComponent(" ".repeat(524_288))).toEqual([]);
    expect(rulesOf(" ".repeat(524_289))).toEqual(["unparsable"]);
  });

  test("a source nested deeper than the stack", () => {
    expect(rulesOf(`${"[".repeat(200_000)}${"]".repeat(200_000)}`)).toEqual(["unparsable"]);
    expect(rulesOf(`a${".b".repeat(200_000)}`)).toEqual(["unparsable"]);
  });
});

describe("severity", () => {
  test.each([
    ['location.href = "/login"', "redirect low"],
    ["location.href = url", "redirect medium"],
    ['fetch("http://localhost:3000/x")', "external-request low"],
    ['fetch("http://127.0.0.1/x")', "external-request low"],
    ['fetch("https://a.example")', "external-request medium"],
    ["fetch(atob(hidden))", "external-request high"],
    ["document.write(html)", "script-injection medium"],
    ['el.innerHTML = "<script>1</script>"', "script-injection high"],
  ])("%s is %s", (source, expected) => {
    expect(severityOf(source)).toContain(expected);
  });
});

describe("types and dialects", () => {
  test.each([
    "const a = <T,>(x: T) => x; eval(1)",
    "const a = <any>window; eval(1)",
    "enum A { B = 1 } eval(1)",
    "@dec class A { @dec() x = 1; constructor(@Inject() private y: string) { eval(1); } }",
    "// @flow\ntype A = {| b: ?number |}; eval(1)",
    "import type { A } from 'b'; export = eval(1)",
    "with (a) { eval(1) }",
    "return eval(1)",
    "await eval(1); export {}",
    "#!/usr/bin/env node\neval(1)",
    "<!-- html comment\neval(1)",
    "let a; let a; eval(1)",
    "abstract class A { abstract b() {} } eval(1)",
    "export v from 'b'; eval(1)",
  ])("%j is read", (source) => {
    expect(rulesOf(source)).toContain("eval");
  });
});

describe("properties", () => {
  const wellFormed = (findings: Finding[]) => {
    for (const { line, column, excerpt } of findings) {
      expect(line).toBeGreaterThan(0);
      expect(column).toBeGreaterThan(0);
      expect(excerpt.length).toBeLessThanOrEqual(120);
      expect(excerpt).not.toMatch(/[\n\r\u2028\u2029]/);
    }
  };

  test("any text at all gives findings, never an exception", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (source) => wellFormed(scanComponent(source))));
  });

  test("any row of tokens gives findings, never an exception", () => {
    const token = fc.constantFrom(
      ..."eval ( ) [ ] { } => = . , ; ?. ... `${ }` 'a' \"b\" <a> </a> /x/ window location fetch constructor const let var function class async await yield * + new this super import( export default if else for of in return : ? ! @ # 1 0x".split(
        " ",
      ),
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 40 }), (tokens) =>
        wellFormed(scanComponent(tokens.join(" "))),
      ),
      { numRuns: LONG_TESTS ? 2000 : 200 },
    );
  });

  test("eval is found however its name is cut up", () => {
    const piece = (text: string) =>
      fc.constantFrom(
        JSON.stringify(text),
        `atob(${JSON.stringify(btoa(text))})`,
        `String.fromCharCode(${[...text].map((character) => character.charCodeAt(0)).join(",")})`,
        `${JSON.stringify([...text].reverse().join(""))}.split("").reverse().join("")`,
        `[${[...text].map((character) => JSON.stringify(character)).join(",")}].join("")`,
        `((x) => x)(${JSON.stringify(text)})`,
        `({ k: ${JSON.stringify(text)} }).k`,
        `decodeURIComponent("${[...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join("")}")`,
      );
    const name = fc
      .integer({ min: 0, max: 4 })
      .chain((cut) =>
        fc.tuple(piece("eval".slice(0, cut)), piece("eval".slice(cut))).map((pieces) => pieces.join(" + ")),
      );
    const owner = fc.constantFrom(
      "window",
      "globalThis",
      "self",
      "window.self",
      "(0, window)",
      "document.defaultView",
    );
    const call = fc.constantFrom(
      (o: string, k: string) => `${o}[${k}]("x")`,
      (o: string, k: string) => `const k = ${k}; const o = ${o}; o[k]("x")`,
      (o: string, k: string) => `const { [${k}]: run } = ${o}; run("x")`,
      (o: string, k: string) => `Reflect.get(${o}, ${k}).call(null, "x")`,
      (o: string, k: string) => `((o, k) => o[k]("x"))(${o}, ${k})`,
    );
    fc.assert(
      fc.property(owner, name, call, (object, key, make) => {
        expect(rulesOf(make(object, key))).toContain("eval");
      }),
      { numRuns: LONG_TESTS ? 500 : 150 },
    );
  });

  test("a name of the file is never the global one", () => {
    const globalName = fc.constantFrom(
      "eval",
      "fetch",
      "location",
      "Function",
      "setTimeout",
      "document",
      "window",
    );
    const use = fc.constantFrom(
      (n: string) => `${n}("https://example.com")`,
      (n: string) => `${n}.href = "https://example.com"`,
      (n: string) => `${n}.write("<script>1</script>"[0])`,
    );
    const shadow = fc.constantFrom(
      (n: string, u: string) => `function f(${n}) { ${u} }`,
      (n: string, u: string) => `{ const ${n} = make(); ${u} }`,
      (n: string, u: string) => `import ${n} from "./own"; ${u}`,
      (n: string, u: string) => `const f = ({ ${n} }) => { ${u} };`,
      (n: string, u: string) => `try { x() } catch (${n}) { ${u} }`,
      (n: string, u: string) => `(() => { ${u}; function ${n}() {} })()`,
      (n: string, u: string) => `for (const ${n} of list) { ${u} }`,
    );
    fc.assert(
      fc.property(globalName, use, shadow, (name, make, wrap) => {
        // A module is strict code, in which a file cannot define the name `eval`.
        fc.pre(name !== "eval");
        expect(scanComponent(wrap(name, make(name)))).toEqual([]);
      }),
      { numRuns: LONG_TESTS ? 300 : 100 },
    );
  });
});
