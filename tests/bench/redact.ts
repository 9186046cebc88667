import { redact, residualSecrets } from "../../packages/core/src/redact/index.ts";
import { generate, randomFrom } from "../fixtures/redact/generate.ts";

/** The largest ratio of the time to redact a 1 MB orchestration to the time to parse and stringify it. */
const TARGET = 5;
const ROUNDS = 40;

/** Returns an orchestration of about `bytes` bytes of JSON, with a secret in each `every`-th node, or with no secret if `every` is 0. */
export function orchestration(bytes: number, every: number): string {
  const random = randomFrom(7);
  const draw = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  const words =
    "the model prompt answer question summarise context document user output input stage result please write return following text about customers and their orders then translate each paragraph into plain language using short sentences".split(
      " ",
    );
  const prose = (count: number) => `${Array.from({ length: count }, () => draw(words)).join(" ")}.`;
  const nodes: unknown[] = [];
  const edges: unknown[] = [];
  const stages: unknown[] = [];
  let size = 0;
  for (let n = 0; size < bytes; n++) {
    const id = generate("{uuid}", random);
    const secret = every > 0 && n % every === 0;
    const node = {
      id,
      type: draw(["llm", "http", "code"]),
      position: { x: Math.round(random() * 4000), y: Math.round(random() * 2000) },
      data: {
        label: prose(3),
        model: "gpt-4o-mini",
        max_tokens: 1024,
        prompt: secret ? `${prose(30)} Use ${generate("sk-proj-{w:60}", random)}. ${prose(30)}` : prose(60),
        url: `https://api.example.com/v1/items?page=${n}&sort=name`,
        headers: [
          {
            name: "Authorization",
            value: secret ? `Bearer ${generate("{a:40}", random)}` : "Bearer {{TOKEN}}",
          },
        ],
        code: "const x = items.map((item) => ({ id: item.id, total: item.price * item.count }));\nreturn { ok: true, x };",
        body: JSON.stringify({
          model: "gpt-4o",
          messages: [{ role: "user", content: prose(12) }],
          temperature: 0.2,
        }),
        color: "#ff8800",
      },
    };
    const stage = {
      id: generate("{uuid}", random),
      node_id: id,
      name: prose(2),
      prompt_template_id: generate("{uuid}", random),
      settings: { topP: 1, stop: ["\n\n"], note: prose(20) },
    };
    nodes.push(node);
    stages.push(stage);
    edges.push({ id: generate("{uuid}", random), source: id, target: id });
    size += JSON.stringify(node).length + JSON.stringify(stage).length + 140;
  }
  return JSON.stringify({ nodes, edges, stage_configs: stages });
}

/** Measures, in each round, parsing and stringifying a text, and then redacting it. */
export async function benchRedact(): Promise<void> {
  const rows: Record<string, Record<string, string>> = {};
  for (const [name, every] of [
    ["no secret", 0],
    ["a secret in every 20th node", 20],
  ] as const) {
    const text = orchestration(1_000_000, every);
    const base: number[] = [];
    const redaction: number[] = [];
    const second: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      base.push(time(() => JSON.stringify(JSON.parse(text))));
      const value = JSON.parse(text);
      redaction.push(time(() => redact(value)));
      second.push(time(() => residualSecrets(value)));
    }
    rows[name] = {
      "JSON.parse + stringify": `${median(base).toFixed(1)} ms`,
      redact: `${median(redaction).toFixed(1)} ms`,
      ratio: (median(redaction) / median(base)).toFixed(2),
      target: `≤ ${TARGET}`,
      verification: `${median(second).toFixed(1)} ms`,
    };
  }
  console.table(rows);
}

function time(work: () => unknown): number {
  const from = performance.now();
  work();
  return performance.now() - from;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
