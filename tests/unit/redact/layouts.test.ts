import { describe, expect, test } from "vitest";
import { redact, residualSecrets } from "../../../packages/core/src/redact/index.ts";
import { generate, randomFrom } from "../../fixtures/redact/generate.ts";
import { layoutHarmless, layoutSecrets } from "../../fixtures/redact/layouts/cases.ts";
import { left } from "../../fixtures/redact/second-round/cases.ts";
import { expectCost } from "../../support/cost.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";

/** Each seed fills the layouts with other secrets. */
const SEEDS = LONG_TESTS ? [21, 22, 23] : [21];
const random = randomFrom(23);
const make = (format: string) => generate(format, random);
const x = make("{a:10}4{a:10}7{a:12}");

describe("secrets in layouts are removed", () => {
  test.each([
    ["the list the rules were written on", "known", 0.98],
    ["the list kept aside", "aside", 0.85],
    ["the list of further layouts", "further", 0.98],
  ] as const)("%s", (_, list, least) => {
    const cases = SEEDS.flatMap((seed) => layoutSecrets(list, seed));
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

describe("harmless twins come back unchanged", () => {
  test.each(
    (["known", "aside", "further"] as const)
      .flatMap((list) => layoutHarmless(list))
      .map(({ name, value }) => [name, value]),
  )("%s", (_, value) => {
    expect(redact(value)).toEqual({ value, redactions: [] });
    expect(residualSecrets(value)).toEqual([]);
  });
});

describe("what is around a secret stays", () => {
  test.each([
    ["braces", `<Map apiKey={"${x}"} zoom={3} />`, '<Map apiKey={"[redacted]"} zoom={3} />'],
    [
      "a property list",
      `<key>APIKey</key>\n<string>${x}</string>`,
      "<key>APIKey</key>\n<string>[redacted]</string>",
    ],
    [
      "a name behind its value",
      `<input value="${x}" name="api_key">`,
      '<input value="[redacted]" name="api_key">',
    ],
    [
      "lines of cells",
      `name,api_key,n\nbob,${x},1\nanna,,2\n`,
      "name,api_key,n\nbob,[redacted],1\nanna,,2\n",
    ],
    ["cells in quotes", `"a";"token"\n"b;c";"${x}"`, '"a";"token"\n"b;c";"[redacted]"'],
    [
      "a table in Markdown",
      `| a | secret |\n|---|---|\n| b | \`${x}\` |`,
      "| a | secret |\n|---|---|\n| b | `[redacted]` |",
    ],
    ["three quotes", `api_key = """\n${x}\n"""\nb = 1`, 'api_key = """\n[redacted]\n"""\nb = 1'],
    [
      "a sum of literals",
      `const apiKey = "${x}" +\n  "${x}";`,
      'const apiKey = "[redacted]" +\n  "[redacted]";',
    ],
    [
      "a suffix of words",
      `const apiKey = "${x}" + "-production-environment";`,
      'const apiKey = "[redacted]" + "-production-environment";',
    ],
    ["the word base64", `main,base64,api_key=${x}`, "main,base64,api_key=[redacted]"],
    [
      "a password behind a name",
      'server.login("me@x.example", "fK7#pQ2!w")',
      'server.login("me@x.example", "[redacted]")',
    ],
    ["a client", `new OpenAI("${x}", { a: 1 })`, 'new OpenAI("[redacted]", { a: 1 })'],
    ["a command", "keytool -storepass kP3x9vQ2 -alias a", "keytool -storepass [redacted] -alias a"],
  ])("%s", (_, text, expected) => {
    expect(redact({ text })).toMatchObject({ value: { text: expected }, redactions: [{ path: "text" }] });
  });
});

describe("a data URI", () => {
  const image = `data:image/png;base64,${make("{b:400}")}==`;

  test.each([image, `<img src="${image}">`, `url(${image})`])("%j stays", (text) => {
    expect(redact(text)).toEqual({ value: text, redactions: [] });
  });

  test.each([
    `data:text/plain;base64,api_key=${x}`,
    `data:text/plain;base64,${make("xai-{a:80}")}`,
    `data:image/png;base64,${make("sk-proj-{w:48}")}`,
  ])("%j hides nothing that is no base64", (text) => {
    const { value } = redact(text);
    expect(value).toContain("[redacted]");
    expect(value).not.toContain(text.slice(-20));
  });
});

describe("work grows with the length of the text", () => {
  const hostile: [string, (n: number) => string][] = [
    ["heads of tables", (n) => "name,api_key\n".repeat(n)],
    ["a head over rows", (n) => `a,password\n${"b,c\n".repeat(n)}`],
    ["quotes in cells", (n) => `a,password\n${`"b,"\n`.repeat(n)}`],
    ["names of elements", (n) => "<key>APIKey</key><string>".repeat(n)],
    ["values before names", (n) => `value="aaaaaaa1" `.repeat(n)],
    ["values in YAML", (n) => "value: aaaaaaa1\n".repeat(n)],
    ["calls", (n) => `login("a",`.repeat(n)],
    ["open calls", (n) => `login(`.repeat(n)],
    ["three quotes", (n) => `api_key = """ `.repeat(n)],
    ["braces", (n) => `api_key={"`.repeat(n)],
    ["lines that go on", (n) => `API_KEY=aaaa1bbbb2cc\\\n`.repeat(n)],
    ["names of a wallet's words", (n) => "mnemonic: ".repeat(n)],
    ["a wallet's words", (n) => "mnemonic: zebra ".repeat(n)],
    ["base64", (n) => ";base64,".repeat(n)],
    ["data URIs", (n) => "data:a;base64,".repeat(n)],
    ["commands", (n) => "curl -u echo a| ldapsearch -w mysql ".repeat(n)],
    ["shares", (n) => "net use \\\\a ".repeat(n)],
    ["ports", (n) => "localhost:5432:a:".repeat(n)],
    ["blocks", (n) => 'token: {\n default: "'.repeat(n)],
    ["outer names", (n) => "a:\n  default: aaaaaaa1\n".repeat(n)],
    ["attributes", (n) => '<input value="aaaaaaa1" '.repeat(n)],
    ["encoded JSON", (n) => "%22token%22%3A%22aaaa1".repeat(n)],
    ["encoded separators", (n) => "%22token%22%3A%22".repeat(n)],
    ["cells of HTML", (n) => "<tr><th>API key</th><td>a".repeat(n)],
    ["tags within cells", (n) => "<table><tr><th>Token<td><b ".repeat(n)],
    ["brackets", (n) => "token=[[aaaa1".repeat(n)],
    ["marked literals", (n) => 'token=R"a(b'.repeat(n)],
    ["settings", (n) => "requirepass aaaa\n username a ".repeat(n)],
    ["a chat", (n) => "ann: the token:\nann: aaaa1".repeat(n)],
    ["encoders", (n) => 'btoa("aaaa:bbbb ToBase64String('.repeat(n)],
    ["quoted keys", (n) => "> -----BEGIN PRIVATE KEY-----\n> aaaa\n".repeat(n)],
    ["tags of YAML", (n) => "token: &a !!str ".repeat(n)],
    ["commands of Windows", (n) => "schtasks /u a /p sqlplus -s a/".repeat(n)],
    ["paths", (n) => "https://api.test/token/".repeat(n)],
  ];

  test.each(hostile)("%s", (_, text) => {
    const [small, large] = [text(400), text(3200)];
    redact(small);
    // Eight times the text must take far less than 64 times the work, which quadratic work would take.
    expectCost(
      () => redact(large),
      () => redact(small),
      32,
    );
  });
});
