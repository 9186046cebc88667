import { describe, expect, test } from "vitest";
import { parseKeyLines } from "../../packages/cli/src/input/key-lines.ts";

/* Tests which lines npm run seal reads as keys; tests/stack/tools/seal.test.ts tests the command itself. */

const parse = (text: string, named = false) => parseKeyLines(Buffer.from(text), named);
const around = /^line 2 holds blanks, commas or quotes/;
const json = /^line 2 begins with \{ but is not JSON/;

describe("lines with a key", () => {
  test("a key may end with =, hold signs, or be a JSON object", () => {
    const account = JSON.stringify({ type: "service_account", private_key: "-----BEGIN\nabc=\n-----END" });
    const keys = ["c2VjcmV0LW9uZQ==", "c2VjcmV0LXR3b=", "id:aB/c+d.e==", "a|b~c", account];
    expect(parse(keys.join("\n"))).toEqual(keys.map((key) => ({ name: null, key })));
  });

  test.each([
    ["a setting of an env file", "SECRET_1=sk-SECRET", /^line 2 has the form NAME=key/],
    ["a setting whose value ends with =", "SECRET=c2VjcmV0==", /^line 2 has the form NAME=key/],
    ["a command of a shell", "export SECRET=sk-SECRET", around],
    ["an assignment with blanks", "SECRET = sk-SECRET", around],
    ["double quotes", '"sk-SECRET"', around],
    ["single quotes", "'sk-SECRET'", around],
    ["backticks", "`sk-SECRET`", around],
    ["the quotes of a word processor", "“sk-SECRET”", around],
    ["a line of CSV", "openai-main,SECRET", around],
    ["a blank inside", "Bearer SECRET", around],
    ["a blank of a web page inside", "Bearer\u00a0SECRET", around],
    ["JSON over several lines", '{\n "private_key": "SECRET"\n}', json],
    ["JSON that is cut off", '{"private_key": "SECRET', json],
    ["braces that hold no JSON", "{SECRET}", json],
    ["a key that comes twice", "SECRET\n\nSECRET", /^line 4 has the same key as line 2$/],
  ])("%s is refused by its number", (_what, lines, message) => {
    expectRefusal(() => parse(`sk-one\n${lines}`), message);
  });
});

describe("lines name=key", () => {
  test("the name ends at the first =; both are trimmed", () => {
    const name = `${"n".repeat(199)}😀`;
    expect(parse(`OpenAI main = sk-one\r\n\r\nGROQ_KEY=c2VjcmV0==\n${name}={"a": "b=c"}`, true)).toEqual([
      { name: "OpenAI main", key: "sk-one" },
      { name: "GROQ_KEY", key: "c2VjcmV0==" },
      { name, key: '{"a": "b=c"}' },
    ]);
  });

  test.each([
    ["a key without a name", "SECRET", /^line 2 does not have the form name=key$/],
    ["an empty name", " =SECRET", /^line 2 does not have the form name=key$/],
    ["a name without a key", "SECRET= ", /^line 2 does not have the form name=key$/],
    ["export before a name", "export A=SECRET", /^line 2 does not have the form name=key$/],
    [
      "a name that is too long",
      `${"n".repeat(201)}=SECRET`,
      /^line 2 has a name of more than 200 characters$/,
    ],
    ["a tab in a name", "a\tb=SECRET", /^line 2 holds control or invisible characters$/],
    ["quotes behind a name", 'b="SECRET"', /^line 2 has a key that holds blanks, commas or quotes/],
    ["two settings in a line", "a=B=SECRET", /^line 2 has a key that has the form NAME=key/],
    ["JSON behind a name that is cut off", "a={SECRET", /^line 2 has a key that begins with \{/],
    ["a key that is too long", `a=${"SECRET".repeat(683)}`, /^line 2 has a key that is longer than 4096/],
    ["a name that comes twice", "SECRET=sk-2\nSECRET=sk-3", /^line 3 has the same name as line 2$/],
    ["a key under two names", "a=SECRET\n\nb=SECRET", /^line 4 has the same key as line 2$/],
  ])("%s is refused by its number", (_what, lines, message) => {
    expectRefusal(() => parse(`one=sk-one\n${lines}`, true), message);
  });
});

function expectRefusal(refused: () => unknown, message: RegExp): void {
  let said = "nothing was refused";
  try {
    refused();
  } catch (error) {
    said = (error as Error).message;
  }
  expect(said).toMatch(message);
  expect(said).not.toContain("SECRET");
}
