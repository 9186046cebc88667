import { describe, expect, test } from "vitest";
import {
  isPrivateHost,
  readUpstreams,
  targetOf,
  withoutParameter,
} from "../../packages/core/src/upstream/index.ts";

/** Returns the host as a URL spells it, because the settings contain URLs. */
const hostOf = (text: string) => new URL(`https://${text}/`).hostname;

describe("private addresses", () => {
  test.each([
    "localhost",
    "LOCALHOST.",
    "router",
    "printer.local",
    "db.internal",
    "x.localhost",
    "127.0.0.1",
    "127.1",
    "0x7f.1",
    "0177.0.0.1",
    "2130706433",
    "0x7f000001",
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "[::]",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:8.8.8.8]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
    "[2001:db8::1]",
    "[fc00::1]",
    "[fd12:3456:789a::1]",
    "[fe80::1]",
    "[ff02::1]",
  ])("%s", (text) => {
    expect(isPrivateHost(hostOf(text))).toBe(true);
    expect(() => readUpstreams(`{"x":"https://${text}"}`, { allowLoopback: false })).toThrow(/private/);
  });

  test.each([
    "api.openai.com",
    "8.8.8.8",
    "172.32.0.1",
    "100.63.255.255",
    "11.0.0.1",
    "198.20.0.1",
    "[2606:4700::6810:84e5]",
    "[2001:4860:4860::8888]",
    "localhost.example.com",
    "internal.example.com",
  ])("%s is none", (text) => {
    expect(isPrivateHost(hostOf(text))).toBe(false);
  });

  test("as DNS answers them: without brackets, with a zone", () => {
    expect(["::1", "fe80::1%eth0", "::ffff:10.0.0.1", "10.1.2.3"].map(isPrivateHost)).toEqual(
      Array(4).fill(true),
    );
    expect(["2606:4700::6810:84e5", "8.8.4.4"].map(isPrivateHost)).toEqual([false, false]);
  });
});

describe("KEYHUB_UPSTREAMS", () => {
  const read = (setting?: unknown, allowLoopback = false) =>
    readUpstreams(typeof setting === "object" ? JSON.stringify(setting) : (setting as string), {
      allowLoopback,
    });

  test("without it: the providers of the table, each with its own place", () => {
    const upstreams = read(undefined);
    const shown = ["openai", "anthropic", "gemini", "groq"].map((name) => {
      const { base, place } = upstreams.get(name) ?? {};
      return `${base?.href} ${place}`;
    });
    expect(shown).toEqual([
      "https://api.openai.com/ authorization",
      "https://api.anthropic.com/ x-api-key",
      "https://generativelanguage.googleapis.com/ x-goog-api-key",
      "https://api.groq.com/ authorization",
    ]);
    // Each customer of Azure has a host of their own, so there is no default for azure.
    expect(upstreams.has("azure")).toBe(false);
    expect([...upstreams.values()].every(({ base }) => base.protocol === "https:")).toBe(true);
  });

  test("adds, changes and takes away", () => {
    const upstreams = read({
      openai: null,
      mine: "https://llm.example.com/api/",
      "azure-eu": { base_url: "https://a.openai.azure.com" },
      other: { base_url: "https://o.example.com", key_in: "query" },
    });
    expect(upstreams.has("openai")).toBe(false);
    expect(upstreams.get("mine")).toMatchObject({ place: "authorization" });
    expect(upstreams.get("mine")?.base.pathname).toBe("/api");
    expect(upstreams.get("azure-eu")).toMatchObject({ place: "api-key" });
    expect(upstreams.get("other")).toMatchObject({ place: "query" });
  });

  test.each([
    ["[]", /JSON object/],
    ["{", /JSON object/],
    [{ "Open AI": "https://a.example.com" }, /"Open AI" is not the name/],
    [{ a: "http://a.example.com" }, /not https/],
    [{ a: "ftp://a.example.com" }, /not https/],
    [{ a: "nowhere" }, /no base_url/],
    [{ a: 7 }, /no base_url/],
    [{ a: { base_url: "https://a.example.com", key: "sk-secret" } }, /has a member key;/],
    [{ a: "https://user:secret@a.example.com" }, /user info/],
    [{ a: "https://a.example.com/?x=1" }, /query/],
    [{ a: { base_url: "https://a.example.com", key_in: "cookie" } }, /key_in/],
    [{ a: "http://127.0.0.1:8080" }, /not https/],
  ])("%j is refused, and no secret of it is told", (setting, message) => {
    expect(() => read(setting)).toThrow(message);
    expect(() => read(setting)).not.toThrow(/secret/);
  });

  test("this machine only where it is allowed, and only this machine", () => {
    expect(read({ a: "http://127.0.0.1:8080" }, true).get("a")?.base.port).toBe("8080");
    expect(() => read({ a: "http://10.0.0.1" }, true)).toThrow(/not https/);
    expect(() => read({ a: "https://10.0.0.1" }, true)).toThrow(/private/);
  });
});

describe("where a request goes", () => {
  const base = new URL("https://api.example.com/base");

  test("below the base URL, as it was written", () => {
    const to = (rest: string, search = "") => targetOf(base, rest, search)?.href;
    expect(to("/v1/models/x:generateContent", "?alt=sse&q=a%20b")).toBe(
      "https://api.example.com/base/v1/models/x:generateContent?alt=sse&q=a%20b",
    );
    expect(to("/files/%C3%A9/")).toBe("https://api.example.com/base/files/%C3%A9/");
    expect(to("")).toBe("https://api.example.com/base");
    expect(targetOf(new URL("https://api.example.com"), "/v1", "")?.href).toBe("https://api.example.com/v1");
  });

  test.each([
    "/..",
    "/../x",
    "/v1/../../x",
    "/v1/./x",
    "/%2e%2e/x",
    "/.%2E/x",
    "/v1/%2e",
    "//evil.example",
    "/v1//x",
    "/\\evil.example",
    "/v1\\..\\x",
    "/%5c..",
    "/v1%2f..%2fx",
    "/%252e%252e/x",
    "/..;/x",
    "/v1%00",
    "/v1%0d%0aX: 1",
    "/a b",
    "/é",
    "x",
    "@evil.example/x",
    ":8080/x",
  ])("%s goes nowhere", (rest) => {
    expect(targetOf(base, rest, "")).toBe(null);
  });

  test("an @ in the path is a part of the path", () => {
    expect(targetOf(base, "/@evil.example/x", "?x=@y")?.host).toBe("api.example.com");
  });

  test("the query loses its token and nothing else", () => {
    expect(withoutParameter("?alt=a%20b+c&key=kh_agent_1&z=1&monkey=2&key=3", "key")).toBe(
      "?alt=a%20b+c&z=1&monkey=2",
    );
    expect(withoutParameter("?key=1", "key")).toBe("");
  });

  test.each(["k%65y=1", "%6B%65%79=1", "key", "key=", "key=%zz&", "&&key=1&key=2"])(
    "also when it is written as %s",
    (written) => {
      expect(withoutParameter(`?a=1&${written}&KEY=2`, "key")).toBe("?a=1&KEY=2");
    },
  );
});
