import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import { expect, test } from "vitest";
import { RenderedMarkdown } from "../../../packages/web/src/parts/markdown.tsx";

const rendered = (text: string) => renderToString(h(RenderedMarkdown, { text }));

test("what was written as Markdown is shown as such; headings are paragraphs, links are nobody's recommendation", () => {
  const html = rendered(
    "# Review\n\n- **first** bugs\n- [then](https://example.org) style\n\n```js\na < b\n```",
  );
  expect(html).toContain('<p class="heading">Review</p>');
  expect(html).toContain("<strong>first</strong>");
  expect(html).toContain('<a href="https://example.org" rel="nofollow ugc noreferrer">then</a>');
  expect(html).toContain("a &lt; b");
  expect(rendered("Sum up {{text}} in three sentences.")).toBe("");
});

test.each([
  "# <script>alert(1)</script>",
  '# <img src=x onerror="alert(1)">',
  "# [a](javascript:alert(1)) [b](data:text/html,x) [c](vbscript:x)",
  "# ![a](https://example.org/spy.png)",
  '```js" onload="alert(1)\n```',
  '# [a](https://example.org "\\" onclick=\\"alert(1)")',
  '# <https://example.org/"onclick=alert(1)>',
  "[a]: javascript:alert(1)\n\n# [a]",
])("markup stays text, nothing runs and nothing is loaded: %s", (text) => {
  const html = rendered(text);
  expect(html).not.toMatch(/<(script|img|iframe|svg|style|form)\b/i);
  expect(html).not.toMatch(/(href|src)="(?!https?:|mailto:)/i);
  // Elements may have only known attributes.
  for (const [, attributes = ""] of html.matchAll(/<\w+((?:\s+[\w-]+="[^"]*")*)\s*\/?>/g))
    for (const [, name = ""] of attributes.matchAll(/([\w-]+)="/g))
      expect(["class", "dir", "href", "rel", "title"]).toContain(name);
  expect(html.replace(/<\/?\w+(?:\s+[\w-]+="[^"]*")*\s*\/?>/g, "")).not.toContain("<");
});
