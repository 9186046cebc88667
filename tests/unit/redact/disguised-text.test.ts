import { describe, expect, test } from "vitest";
import { redact, residualSecrets } from "../../../packages/core/src/redact/index.ts";
import { generate, randomFrom } from "../../fixtures/redact/generate.ts";

const random = randomFrom(11);
const make = (format: string) => generate(format, random);
const clean = (value: unknown) => redact(value).value;
const x = make("{a:10}4{a:10}7{a:12}");
const pass = `${make("{a:6}")}7!${make("{a:4}")}2`;

describe("a literal that does not stand right behind its name", () => {
  test.each([
    ["on the next line", `const apiKey =\n  "${x}";`],
    ["on the next line, with a type", `export const SECRET_TOKEN: string =\n  '${x}';`],
    ["a member on the next line", `const a = {\n  apiKey:\n    "${x}",\n};`],
    ["behind ||", `const token = process.env.ACME_TOKEN || '${x}';`],
    ["behind ??", `const apiKey = process.env.X ?? "${x}";`],
    ["behind ?? over lines", `const apiKey =\n  process.env.X ??\n  "${x}";`],
    ["chosen first", `const token = on ? "${x}" : "";`],
    ["chosen second", `const token = isLive()\n  ? process.env.TOKEN\n  : "${x}";`],
    ["behind or", `token = os.environ.get("X") or "${x}"`],
    ["second in a call", `secret = os.getenv("X", "${x}")`],
    ["of a named argument", `Client(api_key=os.environ.get("K") or "${x}")`],
    ["a password", `const password = process.env.DB_PASS || "${pass}";`],
    ["in a template", `const h = { Authorization: \`Bearer \${'${x}'}\` };`],
    ["below in YAML", `db:\n  password:\n    ${pass}\n  host: a`],
    ["a list in YAML", `api_keys:\n  - ${x}\n  - "${make("{a:10}5{a:20}8")}"`],
    ["a block in YAML", `api_key: >-\n  ${x}\nport: 1`],
    ["under a heading", `## API key\n\n${x}\n\nMore`],
    ["under a heading in bold, as code", `**API key**\n\n\`${x}\``],
    ["under a heading, fenced", `# Token\n\n\`\`\`\n${x}\n\`\`\``],
    ["behind a provider's name", `the Mistral key ${make("{x:32}")} for you`],
    ["behind a long description", `The API key for our billing service is ${x}`],
    ["in brackets", `API key (prod): ${x}`],
    ["set", `set password '${pass}'`],
    ["an organisation's code, said", "Our Organization code is ACME-4711."],
  ])("%s", (_, text) => {
    const value = clean(text) as string;
    expect(value).toContain("[redacted]");
    for (const secret of [x, pass, "hunter22", "4711"]) expect(value).not.toContain(secret);
    expect(redact(value)).toEqual({ value, redactions: [] });
    expect(residualSecrets(value)).toEqual([]);
  });

  test.each([
    'const apiKey =\n  "your-api-key";',
    "const token = process.env.TOKEN || 'development';",
    'const token = cond ? "access_token" : "refresh_token";',
    'const passwordLabel =\n  "Enter your password";',
    'const key = a ? "primary" : "secondary";',
    'token = os.environ.get("TOKEN") or "unset"',
    'const token = lexer.next() || "endOfFileToken2";',
    `const token = \`Bearer $${"{process.env.TOKEN}"}\`;`,
    "const { token } = await login();\nconst path = cond ? 'a1b2c3d4' : '';",
    "password:\n  required: true",
    "password:\n  - minLength8\n  - oneUppercase",
    "token: |\n  The token of the user.",
    "## API key\n\nThe API key is sent in a header.",
    "Token\n\nOAuth2AuthorizationCodeFlow",
    "Access keys\n\n3f2b8c1d-1111-4222-8333-444455556666",
    "GPG key 0123456789ABCDEF0123456789ABCDEF01234567",
    "The Postgres primary key 8f14e45fceea167a5a36dedd4bea2543 is a digest.",
    "Credentials: see section4",
    "Credentials: choose googleOAuth2Api",
    "Login: version v2.3.1-beta4",
    "set password 'password'",
    "pw 2fa-setup-guide, pw step-2-of-3",
    "Enter your organization code to join.",
    "The organization code is six digits.",
    "organization code 2fa",
  ])("leaves %j", (text) => {
    expect(redact(text)).toEqual({ value: text, redactions: [] });
  });
});

describe("base64 of a known format", () => {
  const behind = (text: string) => Buffer.from(text).toString("base64");

  test.each([
    ["a format outside the coarse list", make("pcsk_{a:70}")],
    ["an address", `https://anna:${make("{a:14}")}@x.example/a`],
  ])("%s", (_, text) => {
    expect(residualSecrets({ a: `data ${behind(text)}` })).toEqual(["a"]);
  });

  test("over lines, as encoders write it", () => {
    const lines = behind(`${"harmless words ".repeat(6)} ${make("pcsk_{a:70}")}`).replace(/.{76}/g, "$&\n");
    expect(residualSecrets({ a: lines })).toEqual(["a"]);
  });

  test.each(["A harmless sentence about passwords.", '{"model": "gpt-4o", "max_tokens": 1024}'])(
    "%j is none",
    (text) => {
      expect(residualSecrets({ a: behind(text) })).toEqual([]);
    },
  );
});
