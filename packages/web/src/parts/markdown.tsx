import MarkdownIt from "markdown-it";

/** Longer texts are shown as text only. */
const LONGEST = 64 * 1024;

/**
 * Markup in the text stays text, addresses are http, https or mailto, and pictures are links: nothing is loaded from elsewhere. A heading is a
 * paragraph, because the page has its own.
 */
const markdown = new MarkdownIt({ html: false, linkify: false }).disable("image");
markdown.renderer.rules.heading_open = () => '<p class="heading">';
markdown.renderer.rules.heading_close = () => "</p>\n";
markdown.renderer.rules.link_open = (tokens, place, options, _, renderer) => {
  tokens[place]?.attrSet("rel", "nofollow ugc noreferrer");
  return renderer.renderToken(tokens, place, options);
};

/** Signs that a text was written as Markdown: a heading, a list, a fence, a table or emphasis. */
const SIGNS = /^(#{1,6} \S|[-*] \S|\d{1,3}\. \S|```|\|.*\|)|\*\*\S/m;

/** The text as Markdown, to open; nothing where it was not written as such. The renderer escapes every text. */
export function RenderedMarkdown({ text }: { text: string }) {
  if (text.length > LONGEST || !SIGNS.test(text)) return null;
  return (
    <details class="rendered">
      <summary>Read it as Markdown</summary>
      <div dir="auto" dangerouslySetInnerHTML={{ __html: markdown.render(text) }} />
    </details>
  );
}
