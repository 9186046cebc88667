/** Returns the HTML snippet that shows a listing's card on another site. */
export function embedCode(asset: { slug: string; title: string }, origin: string): string {
  const title = asset.title.replace(/[&"<>]/g, (one) => `&#${one.codePointAt(0)};`);
  return `<iframe src="${origin}/hub/embed/${encodeURIComponent(asset.slug)}" width="420" height="180" loading="lazy" sandbox="allow-popups allow-popups-to-escape-sandbox" title="${title}"></iframe>`;
}
