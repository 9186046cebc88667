import { describe, expect, test } from "vitest";
import { redact, residualSecrets } from "../../../packages/core/src/redact/index.ts";
import {
  commonCases,
  harmlessCases,
  leaks,
  longTailCases,
  namedCases,
  type SecretCase,
  unseenCases,
  unseenHarmlessCases,
} from "../../fixtures/redact/cases.ts";
import {
  left,
  type Planted,
  secondCommon,
  secondHarmless,
  secondLongTail,
  secondNames,
  secondWorkflows,
  thirdNames,
} from "../../fixtures/redact/second-round/cases.ts";
import { faultsOfWorkflow, plantedWorkflows } from "../../fixtures/redact/workflows.ts";

/** Redacts the values, checks that redacting again finds nothing, and returns the names of those that keep their secret. */
function missed(cases: SecretCase[]): string[] {
  return cases.flatMap(({ name, value, secret }) => {
    const clean = redact(value).value;
    expect(redact(clean)).toEqual({ value: clean, redactions: [] });
    expect(residualSecrets(clean), JSON.stringify(clean)).toEqual([]);
    return leaks(clean, secret) ? [name] : [];
  });
}

describe("secrets are removed, and redacting again finds nothing", () => {
  test.each([
    ["of common providers", commonCases(), 0.98],
    ["of the long tail", longTailCases(), 0.85],
    ["known by a name or header only", namedCases(), 0.95],
    ["in the texts of the second corpus", unseenCases(), 0.95],
  ])("%s", (_, cases, least) => {
    const names = missed(cases);
    expect(1 - names.length / cases.length, `missed: ${names.join(", ")}`).toBeGreaterThanOrEqual(least);
  });
});

describe("secrets of the second round are removed", () => {
  test.each([
    ["of common providers", secondCommon(), 0.98],
    ["of the long tail", secondLongTail(), 0.85],
    ["known by a name, header or option only", secondNames(), 0.95],
    ["of the third list", thirdNames(), 0.95],
  ])("%s", (_, cases: Planted[], least) => {
    const missed = cases.filter((planted) => left(planted, redact(planted.value).value).length > 0);
    const names = missed.map(({ name }) => name).join(", ");
    expect(1 - missed.length / cases.length, `missed: ${names}`).toBeGreaterThanOrEqual(least);
    for (const { value } of cases.filter((planted) => !missed.includes(planted))) {
      const clean = redact(value).value;
      expect(redact(clean)).toEqual({ value: clean, redactions: [] });
      expect(residualSecrets(clean), JSON.stringify(clean)).toEqual([]);
    }
  });
});

describe("harmless values come back unchanged", () => {
  test.each(
    [...harmlessCases(), ...unseenHarmlessCases(), ...secondHarmless()].map(({ name, value }) => [
      name,
      value,
    ]),
  )("%s", (_, value) => {
    expect(redact(value)).toEqual({ value, redactions: [] });
    expect(residualSecrets(value)).toEqual([]);
  });
});

describe("whole workflows lose what was planted and nothing else", () => {
  test.each(plantedWorkflows().map((workflow) => [workflow.name, workflow] as const))("%s", (_, workflow) => {
    const { value, redactions } = redact(workflow.value);
    expect(faultsOfWorkflow(workflow, value)).toEqual([]);
    expect(new Set(redactions.map(({ path }) => path))).toEqual(
      new Set(workflow.planted.map(({ path }) => path)),
    );
    expect(residualSecrets(value)).toEqual([]);
    expect(redact(value).redactions).toEqual([]);
  });
});

describe("whole workflows of the second round lose what was planted and nothing else", () => {
  test.each(secondWorkflows().map((workflow) => [workflow.name, workflow] as const))("%s", (_, workflow) => {
    const { value } = redact(workflow.value);
    expect(value).toEqual(workflow.expected);
    expect(residualSecrets(value)).toEqual([]);
  });
});
