import MarkdownIt from "markdown-it";

/** The largest length in characters of a text that is rendered. Longer texts are shown as plain text only. */
const LONGEST = 64 * 1024;

/**
 * Renders Markdown safely. HTML in the text is shown as text, only http, https and mailto become links, and pictures become links, so
 * nothing is loaded from other sites. A heading becomes a paragraph, because the page has its own headings.
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

/**
 * Shows the text as rendered Markdown that the reader can open; shows nothing if the text does not look like Markdown. The HTML is safe to
 * insert, because the renderer escapes every text.
 */
export function RenderedMarkdown({ text }: { text: string }) {
  if (text.length > LONGEST || !SIGNS.test(text)) return null;
  return (
    <details class="rendered">
      <summary>Read it as Markdown</summary>
      <div dir="auto" dangerouslySetInnerHTML={{ __html: markdown.render(text) }} />
    </details>
  );
}
