import { describe, expect, test } from "vitest";
import { FORMATS, readForeign, rederive } from "../../../packages/core/src/hub/formats/index.ts";
import type { Archive } from "../../../packages/core/src/hub/index.ts";
import { files, fixture, nameOf, published, textOf } from "../../support/foreign-files.ts";

describe("bad input", () => {
  const refused = async (source: string, filename: string | null = "a.json") => {
    const found = await readForeign(source, filename);
    if (found.ok) throw new Error(`taken as ${found.value.format}`);
    return found.faults;
  };

  test("a file of none is refused with the list", async () => {
    const [fault] = await refused('{"hello": "world"}');
    expect(fault).toMatchObject({ path: "document", code: "unknown_format" });
    for (const { name } of FORMATS) expect(fault?.message).toContain(name);
  });

  test.each(files)("%s cut anywhere is refused or read, and never throws", async (file) => {
    const source = fixture(file);
    for (let at = 0; at < source.length; at += Math.ceil(source.length / 40)) {
      const found = await readForeign(source.slice(0, at), nameOf(file));
      if (!found.ok) expect(found.faults).not.toEqual([]);
    }
  });

  test.each([
    ["lists 5,000 deep", "[".repeat(5_000) + "]".repeat(5_000), "a.json"],
    [
      "objects 5,000 deep",
      `{"nodes":[],"connections":${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}}`,
      "a.json",
    ],
    ["YAML 5,000 deep", `app: ${"[".repeat(5_000)}`, "a.yml"],
    ["more values than are read", `{"nodes":[${"0,".repeat(300_000)}0],"connections":{}}`, "a.json"],
    ["text of 2 MB", "a: b\n".repeat(400_000), "a.yml"],
    [
      "a YAML bomb",
      `app: &a [x,x,x,x,x,x,x,x,x,x]\n${"bcdefgh"
        .split("")
        .map((name, n) => `${name}: &${name} [${Array(10).fill(`*${"abcdefgh"[n]}`).join()}]\n`)
        .join("")}`,
      "a.yml",
    ],
    ["a YAML type of a language", "app: !!js/function 'function () {}'\nkind: app\n", "a.yml"],
    ["nothing", "", "a.md"],
    ["a front matter without a body", "---\nname: a\n---\n", "a.md"],
    ["a table that has no prompts", "a,b\n1,2\n", "a.csv"],
    [
      "a NUL",
      '{"nodes":[{"type":"a","position":[0,0],"parameters":{"x":"\\u0000"}}],"connections":{}}',
      "a.json",
    ],
  ])("%s", async (_, source, filename) => {
    expect(await refused(source, filename)).not.toEqual([]);
  });

  test("names that are no strings, ids that come twice, links to nowhere, cycles", async () => {
    const node = (id: unknown, name: unknown) => ({
      id,
      name,
      type: "x.y",
      position: [0, 0],
      parameters: {},
    });
    const workflow = {
      name: 7,
      nodes: [node("a", { evil: true }), node("a", "B"), node(null, ["x"]), node(4, "__proto__")],
      connections: { B: { main: [[{ node: "B" }, { node: "nowhere" }, null, 5]], ai: "no" }, nowhere: null },
    };
    const found = await readForeign(JSON.stringify(workflow), "odd.json");
    expect(found.ok && found.value.documents[0]).toMatchObject({
      title: "7",
      payload: {
        nodes: [{ id: "a" }, { id: "a (2)" }, { id: "node 3" }, { id: "4" }],
        edges: [{ source: "a", target: "a" }],
      },
    });
  });

  test("a title is one line that can be seen", async () => {
    const found = await readForeign(
      JSON.stringify({ name: "A\u202Eb\nc ".repeat(60), nodes: [], connections: {} }),
      "../../etc/passwd.json",
    );
    const [document] = found.ok ? found.value.documents : [];
    expect(document?.title).toMatch(/^Ab c Ab c/);
    expect([...(document?.title ?? "")].length).toBeLessThanOrEqual(120);
    const nameless = await readForeign('{"nodes":[],"connections":{}}', "../../etc/passwd.json");
    expect(nameless.ok && nameless.value.documents[0]?.title).toBe("passwd");
  });

  test("what a parser would not read is not published: a key that comes twice, a second document, merged members", async () => {
    const twice = fixture("n8n.json").replace('"nodes": [', '"nodes": [{"apiKey": "x"}],\n  "nodes": [');
    const [fault] = await refused(twice, "a.json");
    expect(fault?.code).toBe("unknown_format");
    expect(rederive({ source_format: "n8n", source_text: twice })).toBeNull();
    const dify = fixture("dify.yml");
    await refused(`${dify}---\nworkflow: {}\n`, "a.yml");
    await refused(dify.replace("name: TEAM_PIN\n", "name: TEAM_PIN\n      <<: {a: 1}\n"), "a.yml");
  });

  test("what is private is emptied behind an alias, and beside keys that are numbers", async () => {
    const dify = fixture("dify.yml")
      .replace("kind: app", "kind: app\nshared: &s {name: X, value: lapis-gull-7719, 10: a, 2: b}")
      .replace("  environment_variables:\n", "  environment_variables:\n    - *s\n");
    const found = await readForeign(dify, "a.yml");
    const { publication } = await published((found.ok ? found.value.documents[0] : null) as Archive);
    expect(textOf(publication.payload)).toContain('&s {name: X, value: "", 10: a, 2: b}');
    expect(JSON.stringify(publication)).not.toContain("lapis-gull");
  });

  test("a file that is of two formats is read as the first of the list, and published as that", async () => {
    const both = JSON.stringify({
      ...JSON.parse(fixture("comfyui.json")),
      ...JSON.parse(fixture("n8n.json")),
    });
    const found = await readForeign(both, "a.json");
    const [document] = found.ok ? found.value.documents : [];
    expect(document?.payload.source_format).toBe("n8n");
    const { publication } = await published(document as Archive);
    expect(publication.payload.nodes).toHaveLength(5);
    expect(JSON.stringify(publication)).not.toContain("3f6c0f3a5b1e4c5d");
  });

  test("the name of a file does not decide what it is", async () => {
    const found = await readForeign(fixture("n8n.json"), "prompts.csv");
    expect(found.ok && found.value.format).toBe("n8n");
  });
});
