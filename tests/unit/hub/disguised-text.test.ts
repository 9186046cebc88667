import { describe, expect, test } from "vitest";
import { redact, residualSecrets } from "../../../packages/core/src/hub/index.ts";
import { generate, randomFrom } from "../../fixtures/redact/generate.ts";

const random = randomFrom(11);
const make = (format: string) => generate(format, random);
const clean = (value: unknown) => redact(value).value;
const x = make("{a:10}4{a:10}7{a:12}");
const token = make("ghp_{a:36}");
const pass = `${make("{a:6}")}7!${make("{a:4}")}2`;
/** Letters and digits of full width. */
const wide = (text: string) =>
  text.replace(/[!-~]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0));

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
    ["in a template, behind ||", `\`Bearer \${process.env.X || '${x}'}\``],
    ["in a sum over lines", `"Bearer " +\n  "${x}"`],
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
    ["beside a name", `Credentials: admin ${pass}`],
    ["shortly said", "the pw hunter22, as ever"],
    ["an organisation's code", "org code ACME-4711"],
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

describe("a name or token that reads otherwise than it is written", () => {
  test.each([
    ["a no-break space", `API\u00a0key: ${x}`, "API\u00a0key: [redacted]"],
    ["a narrow space", `API\u202fkey: ${x}`, "API\u202fkey: [redacted]"],
    ["a thin space", `API\u2009key: ${x}`, "API\u2009key: [redacted]"],
    ["a hyphen", `API\u2010key: ${x}`, "API\u2010key: [redacted]"],
    ["a hard hyphen", `API\u2011key: ${x}`, "API\u2011key: [redacted]"],
    ["a dash", `API\u2013key: ${x}`, "API\u2013key: [redacted]"],
    ["a minus", `API\u2212key: ${x}`, "API\u2212key: [redacted]"],
    ["full width", `${wide("api_key")}: ${x}`, `${wide("api_key")}: [redacted]`],
    ["a Cyrillic letter", "p\u0430ssword: hunter22x", "p\u0430ssword: [redacted]"],
    ["an invisible space", "password\u200b: hunter22x", "password\u200b: [redacted]"],
    ["an invisible space within", "pass\u200bword: hunter22x", "pass\u200bword: [redacted]"],
    ["a bold alphabet", "\ud835\udc29\ud835\udc30d: hunter22x", "\ud835\udc29\ud835\udc30d: [redacted]"],
    ["a soft hyphen in a token", `a ${token.slice(0, 9)}\u00ad${token.slice(9)} b`, "a [redacted] b"],
    ["a joiner in a token", `a\u00a0${token.slice(0, 29)}\u200d${token.slice(29)} b`, "a\u00a0[redacted] b"],
    ["a token of full width", `密码 ${wide(token)} end`, "密码 [redacted] end"],
    ["a beginning of full width", `my ${wide("ghp")}${token.slice(3)} end`, "my [redacted] end"],
    ["a space behind Bearer", `Bearer\u00a0${x}`, "Bearer\u00a0[redacted]"],
  ])("%s", (_, text, expected) => {
    expect(clean(text)).toBe(expected);
    expect(redact(expected)).toEqual({ value: expected, redactions: [] });
  });

  test.each(["p\u0430ssword", "pass\u200bword", "api\u2011key", wide("api_key")])(
    "the key %j of an object",
    (key) => {
      expect(clean({ [key]: "hunter22x" })).toEqual({ [key]: "[redacted]" });
    },
  );

  test.each([
    "Mot de passe\u00a0: au moins huit caractères\u202f!",
    "👩\u200d💻 writes, ❤\ufe0f and 2020\u20132025",
    "Пароль должен содержать цифры. API-ключ не нужен.",
    "Do\u00adnau\u00addampf\u00adschiff\u00adfahrt, Pass\u00adwort\u00adregeln",
    "α-Version of the βeta token model",
    `${wide("ABC123")}：${wide("Hello")}`,
  ])("leaves %j", (text) => {
    expect(redact({ text })).toEqual({ value: { text }, redactions: [] });
    expect(residualSecrets({ text })).toEqual([]);
  });
});

describe("base64 of what redaction would take", () => {
  const behind = (text: string) => Buffer.from(text).toString("base64");

  test.each([
    ["a format outside the coarse list", make("pcsk_{a:70}")],
    ["a name and its value", `{"api_key": "${x}"}`],
    ["text beyond ASCII", `Schlüssel für später: password=${pass}`],
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

describe("letters of other scripts within a token", () => {
  /** A Cyrillic letter in place of a Latin one, with a digit on either side. */
  const split = (text: string) => text.replace(/^(.{12}).../, "$14\u04307");
  test.each([
    ["of a known format", split(make("ghp_{a:36}"))],
    ["of OpenAI", split(make("sk-proj-{w:60}"))],
    ["of AWS", `AKIA${make("{C:6}")}4\u04207${make("{u:7}")}`],
    ["under a name, hex", `token: ${split(make("{x:32}"))}`],
    ["under a name, base64", `api_key=${split(make("{a:44}"))}`],
    ["in Greek", `password: ${make("{a:8}")}4\u03bf7${make("{a:8}")}`],
  ])("%s", (_, text) => {
    const { value, redactions } = redact(`Use ${text} here.`);
    expect(redactions).toHaveLength(1);
    expect(value).not.toMatch(/4[\u0430\u0420\u03bf]7/);
    expect(redact(value)).toEqual({ value, redactions: [] });
  });

  test.each([
    "\u0432 2024\u0433.",
    "API-\u043a\u043b\u044e\u0447",
    "\u0438\u0437-\u0437\u0430 x5",
    "5\u0430, 7\u0431, 3D-\u043f\u0435\u0447\u0430\u0442\u044c",
    "COVID-19-\u0445",
  ])("%s stays", (text) => {
    expect(redact(text)).toEqual({ value: text, redactions: [] });
  });
});
