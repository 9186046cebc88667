import { describe, expect, test } from "vitest";
import { readCsv } from "../../packages/cli/src/input/csv.ts";
import type { Input } from "../../packages/cli/src/input/entry.ts";
import { readEnvFile } from "../../packages/cli/src/input/env-file.ts";
import { readLitellm } from "../../packages/cli/src/input/litellm.ts";
import { LONG_TESTS } from "../support/long-tests.ts";

/* Tests what `keyhub keys add` reads from the files that people have. */

const KEY = "sk-proj-SECRETSECRET0123456789abcdefghijklmnopqrstuvwxyz";
const reference = (name: string) => `\${${name}}`;
const none = () => undefined;
const lookup = (name: string) => ({ OPENAI_API_KEY: KEY, EMPTY: " " })[name];
const brief = ({ entries, others }: Input) => ({
  entries: entries.map(({ name, provider, key }) => [name, provider, key]),
  others,
});

function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    const { name, message } = error as Error;
    expect(name).toBe("CommandFailure");
    expect(message).not.toContain("SECRET");
    return message;
  }
  return "read";
}

const LINES = LONG_TESTS ? 10_000 : 2_000;

describe("a CSV", () => {
  test("columns in any order and case; BOM, quotes, Windows lines, empty lines, lines in a field", () => {
    const text = `\uFEFFProvider,"Key",name,PRIORITY,account\r\nOpenAI,sk-1,"Main, ""one""",10,org-a\r\n\r\n,sk-2,,,\r\ngroq,"sk-3","two\nlines",-1,\r\n`;
    expect(refusal(() => readCsv(text))).toBe(
      "line 6 has a name with control or invisible characters; nothing was written",
    );
    expect(readCsv(text.replace("two\nlines", "two")).entries).toEqual([
      {
        place: "line 2",
        name: 'Main, "one"',
        key: "sk-1",
        provider: "openai",
        priority: 10,
        account: "org-a",
      },
      { place: "line 4", name: null, key: "sk-2", provider: null, priority: null, account: null },
      { place: "line 5", name: "two", key: "sk-3", provider: "groq", priority: -1, account: null },
    ]);
  });

  test(`${LINES} lines`, () => {
    const lines = Array.from({ length: LINES }, (_, index) => `key ${index},sk-${index}`);
    expect(readCsv(`name,key\n${lines.join("\n")}`).entries).toHaveLength(LINES);
  });

  test.each([
    ["no header", `${KEY},openai\n`, /the columns of this CSV are wrong.*the first line names the columns/],
    ["an unknown column", `name,key,comment\na,${KEY},b\n`, /the columns of this CSV are wrong/],
    ["no column key", `name,provider\n${KEY},openai\n`, /the columns of this CSV are wrong/],
    ["a column twice", `key,key\n${KEY},${KEY}\n`, /the columns of this CSV are wrong/],
    [
      "a missing column",
      `name,key,provider\na,${KEY},openai\nb,${KEY}\n`,
      /^line 3 is not a valid line of this CSV/,
    ],
    [
      "a quote that does not end",
      `name,key\n"a,${KEY}\nb,sk-2\n`,
      /^line \d is not a valid line of this CSV/,
    ],
    [
      "a key in the column of names",
      `name,key\n${KEY},main\n`,
      /^line 2 has a value that looks like a key as its name/,
    ],
    [
      "a key as the provider",
      `key,provider\nsk-1,${KEY.toLowerCase()}\n`,
      /^line 2 has a value that looks like a key as its provider/,
    ],
    [
      "a key as the account",
      `key,account\nsk-1,${KEY}\n`,
      /^line 2 has a value that looks like a key as its account/,
    ],
    [
      "a key twice in a line",
      "name,key\nSECRET,SECRET\n",
      /^line 2 has a value that looks like a key as its name/,
    ],
    ["a name in the column of keys", `name,key\na,"SECRET one"\n`, /^line 2 has a key that holds blanks/],
    ["no key", "name,key\nSECRET,\n", /^line 2 has no key/],
    [
      "a priority that is none",
      "key,priority\nsk-1,SECRET\n",
      /^line 2 has a priority that is not a whole number/,
    ],
    [
      "a provider that is none",
      "key,provider\nsk-1,Secret AI\n",
      /^line 2 has a provider that is not a name/,
    ],
  ])("with %s is refused by its line, and nothing of it is repeated", (_what, text, message) => {
    expect(refusal(() => readCsv(text))).toMatch(message);
  });
});

describe("an env file", () => {
  test("numbered keys, several in one, quotes, export, other names of providers; references; the rest is left out", () => {
    const text = [
      "\uFEFFOPENAI_API_KEY_1=sk-1\r",
      'export OPENAI_API_KEY_2="sk-2"\r',
      "# OPENAI_API_KEY_3=sk-3",
      "GROQ_API_KEYS=gsk-1, gsk-2,",
      "GOOGLE_API_KEY=AIza",
      "AZURE_OPENAI_KEY=az",
      `MY_XAI_TOKEN=${reference("OPENAI_API_KEY_1")}`,
      `MISTRAL_API_KEY=${reference("OPENAI_API_KEY")}`,
      "OPENAI_BASE_URL=https://example.com",
      "DATABASE_URL=postgres://SECRET",
      "STRIPE_KEY=SECRET",
      "NEXT_PUBLIC_OPENAI_KEY=SECRET",
      "ANTHROPIC_API_KEY=",
      'GEMINI_KEY={"type":"service_account","id":1}',
    ].join("\n");
    expect(brief(readEnvFile(text, lookup))).toEqual({
      entries: [
        ["OPENAI_API_KEY_1", "openai", "sk-1"],
        ["OPENAI_API_KEY_2", "openai", "sk-2"],
        ["GROQ_API_KEYS 1", "groq", "gsk-1"],
        ["GROQ_API_KEYS 2", "groq", "gsk-2"],
        ["GOOGLE_API_KEY", "gemini", "AIza"],
        ["AZURE_OPENAI_KEY", "azure", "az"],
        ["MY_XAI_TOKEN", "xai", "sk-1"],
        ["MISTRAL_API_KEY", "mistral", KEY],
        ["GEMINI_KEY", "gemini", '{"type":"service_account","id":1}'],
      ],
      others: ["OPENAI_BASE_URL", "DATABASE_URL", "STRIPE_KEY", "NEXT_PUBLIC_OPENAI_KEY"],
    });
  });

  test("a reference to a setting that is not there is refused by its name", () => {
    const message = "GROQ_API_KEY asks for EMPTY, which is not set in the environment; nothing was written";
    expect(refusal(() => readEnvFile(`GROQ_API_KEY=${reference("EMPTY")}`, lookup))).toBe(message);
  });
});

describe("a LiteLLM config", () => {
  test("keys in the file and from the environment, with their providers; models without one are left out", () => {
    const text = `
model_list:
  - model_name: gpt-4o
    litellm_params: {model: openai/gpt-4o, api_key: os.environ/OPENAI_API_KEY, rpm: 6}
  - model_name: claude
    litellm_params:
      model: claude-sonnet-4
      api_key: "sk-ant-1"
  - model_name: llama
    litellm_params: {model: together_ai/llama, api_key: "${reference("OPENAI_API_KEY")}"}
  - litellm_params: {model: my-model, api_key: sk-4, custom_llm_provider: groq}
  - litellm_params: {model: o3, api_key: sk-5}
  - model_name: own
    litellm_params: {model: unknown-model, api_key: sk-6}
  - model_name: from-its-environment
    litellm_params: {model: gemini/gemini-2.5-pro}
litellm_settings: {drop_params: true}
`;
    expect(brief(readLitellm(text, lookup))).toEqual({
      entries: [
        ["OPENAI_API_KEY", "openai", KEY],
        ["claude", "anthropic", "sk-ant-1"],
        ["OPENAI_API_KEY", "together", KEY],
        ["my-model", "groq", "sk-4"],
        ["o3", "openai", "sk-5"],
        ["own", null, "sk-6"],
      ],
      others: ["model_list[6]"],
    });
  });

  test("the server and the organization of a model come with its key; a server without https is left out", () => {
    const text = `
model_list:
  - litellm_params: {model: azure/gpt, api_key: sk-1, api_base: os.environ/OPENAI_API_BASE, organization: org-1}
  - litellm_params: {model: openai/local, api_key: none, api_base: "http://localhost:8000"}
`;
    const from = (name: string) => (name === "OPENAI_API_BASE" ? "https://eu.example.com/v1" : undefined);
    const { entries, others } = readLitellm(text, from);
    expect(entries.map(({ settings }) => settings)).toEqual([
      { base_url: "https://eu.example.com/v1", organization: "org-1" },
    ]);
    expect(others).toEqual(["model_list[1]"]);
  });

  test.each([
    [
      "a setting that is not there",
      "model_list: [{litellm_params: {model: o3, api_key: os.environ/NOPE}}]",
      /^model_list\[0\] asks for NOPE/,
    ],
    ["no YAML", "model_list: [SECRET", /^this is not YAML/],
    ["another YAML", "models: SECRET", /^this is not a LiteLLM config/],
    ["a text", "SECRET", /^this is not a LiteLLM config/],
    ["nothing", "", /^this is not a LiteLLM config/],
    [
      "aliases without end",
      `a: &a [SECRET]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n`,
      /^this is not/,
    ],
  ])("that is %s is refused, and nothing of it is repeated", (_what, text, message) => {
    expect(refusal(() => readLitellm(text, none))).toMatch(message);
  });
});
