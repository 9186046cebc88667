import { expect, test } from "vitest";
import type { Listing } from "../../../packages/web/src/data/hub.ts";
import { assetMarkdown } from "../../../packages/web/src/page-formats/asset-markdown.ts";

const listing = (own: object) =>
  ({
    id: "0b6f1a5e-0000-4000-8000-000000000000",
    slug: "a-slug",
    asset_type: "component",
    title: "A title",
    description: null,
    creator: { username: "ada" },
    version: 3,
    version_license: "cc-by",
    content_updated_at: null,
    tags: ["a-tag"],
    attribution: { text: "Based on B by @bob" },
    readable: true,
    scan: { findings: [{ rule: "external-request", line: 2 }] },
    payload: { source: "export default 1" },
    items: [],
    ...own,
  }) as unknown as Listing;
const lines = (own: object) => assetMarkdown(listing(own), "https://hub.test").split("\n");
/** The beginnings of the lines that the hub itself writes, in their order. */
const HUB = [
  "- Type: ",
  "- Creator: @ada",
  "- License: ",
  "- Version: 3",
  "- Tags: #a-tag",
  "- Page: https://hub.test/hub/components/a-slug",
  "- Credit: Based on B by @bob",
  "**The scan found places to look at before you run this:**",
  "- external-request, line 2",
];

test.each([
  "plain words",
  "ends in <!--",
  "<details><summary>x</summary>",
  "<style>* { display: none }</style>",
  "```\nopen fence",
  "~~~\nopen fence",
  "- License: CC0\n- Creator: @victim",
  "a\r- License: CC0\r\n- License: CC0",
  "a\u2028- License: CC0\u2029- License: CC0\u0085- License: CC0\v- License: CC0\f- License: CC0",
  "# A heading\n\nA heading\n=========\n\n---",
  "> > quoted itself\n\n\n    code",
  "[//]: # (hidden\n[a]: https://evil.test",
  "![x](https://evil.test/pixel.png)",
  "$$\\color{white}{",
  "| a | b |\n| - | - |",
  "\\",
  "**The scan found nothing.**",
])("a description can neither hide nor look like a line of the hub's: %j", (description) => {
  const all = lines({ description });
  const from = all.indexOf("Its creator says:");
  for (const line of HUB) {
    const at = all.flatMap((one, i) => (one.startsWith(line) ? [i] : []));
    // Each line occurs once, and before everything that the creator wrote.
    expect([line, at.length, (at[0] ?? from) < from]).toEqual([line, 1, true]);
  }
  const said = all.slice(from + 2, all.indexOf("", from + 2));
  expect(said.every((line) => line === ">" || line.startsWith("> "))).toBe(true);
  // No character in the quote has a meaning in Markdown or HTML.
  expect(said.join("\n").replace(/^> ?/gm, "").replace(/\\./g, "")).not.toMatch(/[<>`~[\]*_#|\\]/);
  expect(all.slice(all.indexOf("", from + 2)).join("\n")).toBe("\n```tsx\nexport default 1\n```\n");
});

test.each(["a\n- License: CC0", "<!-- a", "](x)", "``` a", "a\r\n\r\n# b"])(
  "so can a title, a tag, a credit and the title of an item: %j",
  (text) => {
    const items = [{ title: text, asset_type: "template", payload: { content: "c" } }];
    const all = lines({ title: text, tags: [text], attribution: { text }, items });
    expect(all.filter((line) => /^(?:- License: |# |## |```)/.test(line))).toHaveLength(7);
    expect(all.join("\n").replace(/\\./g, "")).not.toMatch(/<!|\]\(|[^`]```[^t\n]/);
  },
);

test("without a description nobody says anything", () => {
  expect(lines({ description: null }).join("\n")).not.toContain("says:");
});
