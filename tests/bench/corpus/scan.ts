import { transform } from "esbuild";
import { Linter } from "eslint";
import unsanitized from "eslint-plugin-no-unsanitized";
import { scanComponent } from "../../../packages/core/src/scan/index.ts";
import type { Dangerous } from "../../fixtures/scan/case.ts";
import { DANGEROUS, HARMLESS } from "../../fixtures/scan/index.ts";

/** Measures the recall per rule and the false positives of the scan, beside those of similar rules of ESLint, on the same cases. */
export async function reportScan(): Promise<void> {
  const linter = new Linter();
  console.log("corpus               rule                cases   scan   ESLint");
  for (const [part, cases] of Object.entries(DANGEROUS)) {
    const rules = new Set(cases.map(([rule]) => rule));
    for (const rule of [...rules, null]) {
      const some = cases.filter((one) => rule === null || one[0] === rule);
      const found = some.filter(isFound).length;
      let linted = 0;
      for (const [, source] of some) if (await isLinted(linter, source)) linted++;
      row(part, rule ?? "all", some.length, found, linted);
    }
  }
  for (const [part, sources] of Object.entries(HARMLESS)) {
    const flagged = sources.filter((source) => scanComponent(source).length > 0).length;
    let linted = 0;
    for (const source of sources) if (await isLinted(linter, source)) linted++;
    row(part, "flagged", sources.length, flagged, linted);
  }
}

/** The globals for ESLint. If a name is missing here, ESLint assumes that the file itself defines it, and its rules find less. */
const BROWSER = Object.fromEntries(
  "window self globalThis top parent document location navigator setTimeout setInterval execScript Function eval"
    .split(" ")
    .map((name) => [name, "writable" as const]),
);

function isFound([rule, source]: Dangerous): boolean {
  return scanComponent(source).some((finding) => finding.rule === rule);
}

/** Returns whether ESLint reports anything, after esbuild has removed the types. A source that ESLint cannot parse counts as reported. */
async function isLinted(linter: Linter, source: string): Promise<boolean> {
  let code = source;
  try {
    code = (await transform(source, { loader: "tsx", jsx: "preserve", logLevel: "silent" })).code;
  } catch {
    // Leave the source unchanged, because ESLint then reports a parsing error.
  }
  const messages = linter.verify(code, {
    plugins: { "no-unsanitized": unsanitized },
    languageOptions: {
      ecmaVersion: "latest",
      globals: BROWSER,
      sourceType: "module",
      parserOptions: { ecmaFeatures: { jsx: true, globalReturn: true } },
    },
    rules: {
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-script-url": "error",
      "no-unsanitized/method": "error",
      "no-unsanitized/property": "error",
    },
  });
  return messages.length > 0;
}

function row(part: string, rule: string, cases: number, found: number, linted: number): void {
  const percent = (count: number) => `${((100 * count) / cases).toFixed(1)} %`.padStart(8);
  console.log(
    `${part.padEnd(20)} ${rule.padEnd(18)} ${String(cases).padStart(5)}${percent(found)}${percent(linted)}`,
  );
}
