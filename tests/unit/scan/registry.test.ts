import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Finding, newReport, type Severity } from "../../../packages/core/src/scan/finding.ts";
import { resetBudget } from "../../../packages/core/src/scan/interpreter/budget.ts";
import { Interpreter } from "../../../packages/core/src/scan/interpreter/interpreter.ts";
import { link } from "../../../packages/core/src/scan/interpreter/link/link.ts";
import { parseSource } from "../../../packages/core/src/scan/parse.ts";
import { walkProgram } from "../../../packages/core/src/scan/program/walk.ts";
import { applyRules } from "../../../packages/core/src/scan/rules/dispatch/file.ts";
import { RULES } from "../../../packages/core/src/scan/rules/registry.ts";
import type { Rule } from "../../../packages/core/src/scan/rules/rule.ts";
import { scanComponent, scanWith } from "../../../packages/core/src/scan/scan.ts";
import { DANGEROUS } from "../../fixtures/scan/index.ts";
import { repository } from "../../support/cli.ts";
import { readPage } from "../../support/docs/pages.ts";

/** Files of rules; `common/` and `dispatch/` are what they are built of. */
const FOLDERS_OF_RULES = /^(?!common|dispatch)[^/]+\/.+\.ts$/;
const isRule = (value: unknown): value is Rule =>
  typeof value === "object" && value !== null && "id" in value && "severity" in value;

const ORDER: Record<Severity, number> = { high: 0, medium: 1, low: 2 };

/** A rule that is no part of the registry: it needs this entry and nothing else. */
const dialogs: Rule = {
  id: "dialog",
  severity: "low",
  calls: (path) => path === "alert",
  onCall({ report }, { node }) {
    report("dialog", "low", node);
  },
  methods: (name) => name === "showModal",
  onMethod({ report }, { node }) {
    report("dialog", "low", node);
  },
  properties: (key) => key === "returnValue",
  onWrite({ report }, { node }) {
    report("dialog", "low", node);
  },
  attributes: (name) => name === "open",
  onJsxAttribute({ report }, { tag, node }) {
    if (tag === "dialog") report("dialog", "low", node);
  },
  onProp({ report }, { key, node }) {
    if (key === "closedby") report("dialog", "low", node);
  },
};

const found = (source: string) => scanWith([...RULES, dialogs], source).map(({ rule }) => rule);

describe("a new rule is one entry", () => {
  test.each([
    ["a call", `alert("hello");`],
    ["a call under another name", `const { alert: say } = window; say.call(null, "hello");`],
    ["a callback", `[1, 2].forEach(alert);`],
    ["a method, whatever has it", `export const A = ({ box }) => <b onClick={() => box.showModal()} />;`],
    ["a method through a variable", `export const A = ({ box, how = "showModal" }) => box[how]();`],
    ["a write", `export const A = ({ box }) => { box.returnValue = "x"; return null; };`],
    ["a write by a function", `export const A = ({ box }) => Object.assign(box, { returnValue: "x" });`],
    ["an attribute", `export const A = () => <dialog open={true}>x</dialog>;`],
    ["an attribute by a spread", `const given = { open: "" }; export const A = () => <dialog {...given} />;`],
    ["a property of a made element", `export const A = () => jsx("dialog", { closedby: "any" });`],
  ])("%s", (_, source) => {
    expect(found(source)).toEqual(["dialog"]);
    expect(scanComponent(source)).toEqual([]);
  });
});

describe("the registry", () => {
  test("has every rule of a file", async () => {
    const folder = join(repository, "packages", "core", "src", "scan", "rules");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
      FOLDERS_OF_RULES.test(file),
    );
    const missing: string[] = [];
    for (const file of files) {
      const exported: Record<string, unknown> = await import(join(folder, file));
      for (const [name, value] of Object.entries(exported))
        if (isRule(value) && !RULES.includes(value)) missing.push(`${file}: ${name}`);
    }
    expect(files.length).toBeGreaterThan(40);
    expect(missing).toEqual([]);
  });

  test("has no id that docs/design/scan.md leaves out", () => {
    const page = readPage("docs/design/scan.md");
    const ids = new Set(RULES.map(({ id }) => id));
    expect([...ids].filter((id) => !page.includes(`**\`${id}\`**`))).toEqual([]);
  });

  const alone = RULES.map((rule) => ({ rule, findings: [] as Finding[] }));
  // Each source is parsed once and followed by each rule by itself.
  for (const [, source] of Object.values(DANGEROUS).flat()) {
    const parsed = parseSource(source);
    if (!parsed.ok) continue;
    const interpreter = new Interpreter(walkProgram(parsed.file, source));
    link(interpreter);
    for (const { rule, findings } of alone) {
      resetBudget();
      const report = newReport(source);
      applyRules([rule], interpreter, source, report);
      findings.push(...report.findings());
    }
  }

  test("every rule finds something by itself in the corpora, or together with another", () => {
    const silent = alone.filter(({ findings }) => findings.length === 0).map(({ rule }) => rule);
    // What two places say together needs the rules that notice each of them.
    expect(silent.filter((rule) => rule.onEnd === undefined)).toEqual([]);
  });

  test("no rule says anything graver than its severity", () => {
    const graver = alone.flatMap(({ rule, findings }) =>
      findings.filter((one) => one.rule === rule.id && ORDER[one.severity] < ORDER[rule.severity]),
    );
    expect(graver).toEqual([]);
  });
});
