import { isDeepStrictEqual } from "node:util";
import { lintSource } from "@secretlint/core";
import { creator as preset } from "@secretlint/secretlint-rule-preset-recommend";
import { slugify } from "../../../packages/core/src/hub/index.ts";
import { redact } from "../../../packages/core/src/redact/index.ts";
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
import { randomFrom } from "../../fixtures/redact/generate.ts";
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

/** Removes secrets from a value. `changed` is true if the redactor found any secret. */
type Redactor = (value: unknown) => Promise<{ value: unknown; changed: boolean }>;

const ours: Redactor = async (value) => {
  const { value: clean, redactions } = redact(value);
  return { value: clean, changed: redactions.length > 0 };
};

/** Redacts with secretlint, which only finds secrets: they are cut out of the JSON text of the value, as a publisher would have to do. */
const secretlint: Redactor = async (value) => {
  const content = JSON.stringify(value, null, 2);
  const { messages } = await lintSource({
    source: { filePath: "value.json", content, ext: ".json", contentType: "text" },
    options: {
      config: { rules: [{ id: "preset", rule: preset }] },
      locale: "en",
      maskSecrets: false,
      noPhysicFilePath: true,
    },
  });
  let text = content;
  for (const { range } of [...messages].sort((a, b) => b.range[0] - a.range[0])) {
    text = `${text.slice(0, range[0])}[redacted]${text.slice(range[1])}`;
  }
  return { value: parse(text), changed: messages.length > 0 };
};

/**
 * Measures the share of secrets that are removed, and the share of harmless values that stay unchanged, for Keyhub and for secretlint on
 * the same cases. The bench states a minimum for each group, which Keyhub must reach.
 */
export async function benchRedactCorpus(): Promise<void> {
  const groups: [string, SecretCase[], number][] = [
    ["common providers, removed", commonCases(), 98],
    ["long tail, removed", longTailCases(), 85],
    ["name or header only, removed", namedCases(), 95],
    ["second corpus, removed", unseenCases(), 95],
  ];
  const rows: Record<string, Record<string, string>> = {};
  for (const [name, cases, floor] of groups) {
    rows[name] = {
      cases: String(cases.length),
      keyhub: await recall(ours, cases),
      secretlint: await recall(secretlint, cases),
      floor: `${floor} %`,
    };
  }
  for (const [name, cases, floor] of [
    ["second round: common, removed", secondCommon(), 98],
    ["second round: long tail, removed", secondLongTail(), 85],
    ["second round: by name only, removed", secondNames(), 95],
    ["third list, removed", thirdNames(), 95],
  ] as const) {
    rows[name] = {
      cases: String(cases.length),
      keyhub: await removed(ours, cases),
      secretlint: await removed(secretlint, cases),
      floor: `${floor} %`,
    };
  }
  const harmless = [...harmlessCases(), ...unseenHarmlessCases(), ...secondHarmless()];
  rows["harmless, untouched"] = {
    cases: String(harmless.length),
    keyhub: await untouched(ours, harmless),
    secretlint: await untouched(secretlint, harmless),
    floor: "99.5 %",
  };
  const workflows = [1, 2, 3, 4, 5].flatMap(plantedWorkflows);
  rows["whole workflows, clean and intact"] = {
    cases: String(workflows.length),
    keyhub: await intact(ours, workflows),
    secretlint: await intact(secretlint, workflows),
    floor: "95 %",
  };
  const planted = [1, 2, 3, 4, 5].flatMap(secondWorkflows);
  rows["second round: workflows, clean and intact"] = {
    cases: String(planted.length),
    keyhub: await exact(ours, planted),
    secretlint: await exact(secretlint, planted),
    floor: "95 %",
  };
  const titles = harmless.map(({ name }) => name);
  const valid = titles.filter((title) =>
    /^[a-z0-9]+(-[a-z0-9]+)*$/.test(slugify(title, "template", randomFrom(1))),
  );
  rows["titles with a valid slug"] = {
    cases: String(titles.length),
    keyhub: percent(valid.length, titles.length),
    secretlint: "",
    floor: "100 %",
  };
  console.table(rows);
}

async function recall(redactor: Redactor, cases: SecretCase[]): Promise<string> {
  let removed = 0;
  for (const { value, secret } of cases) if (!leaks((await redactor(value)).value, secret)) removed++;
  return percent(removed, cases.length);
}

async function removed(redactor: Redactor, cases: readonly Planted[]): Promise<string> {
  let clean = 0;
  for (const planted of cases) {
    if (left(planted, (await redactor(planted.value)).value).length === 0) clean++;
  }
  return percent(clean, cases.length);
}

async function exact(redactor: Redactor, cases: readonly Planted[]): Promise<string> {
  let same = 0;
  for (const { value, expected } of cases) {
    if (isDeepStrictEqual((await redactor(value)).value, expected)) same++;
  }
  return percent(same, cases.length);
}

async function untouched(redactor: Redactor, cases: { value: unknown }[]): Promise<string> {
  let kept = 0;
  for (const { value } of cases) if (!(await redactor(value)).changed) kept++;
  return percent(kept, cases.length);
}

async function intact(redactor: Redactor, workflows: ReturnType<typeof plantedWorkflows>): Promise<string> {
  let clean = 0;
  for (const workflow of workflows) {
    if (faultsOfWorkflow(workflow, (await redactor(workflow.value)).value).length === 0) clean++;
  }
  return percent(clean, workflows.length);
}

function percent(part: number, whole: number): string {
  return `${((part / whole) * 100).toFixed(1)} %`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
