export interface Target {
  id: string;
  slug: string;
  word: string;
  /** The address of the project, and the name of the listing's creator. */
  url: string;
  creator: string;
}

/** The addresses of the pages and formats of a listing. */
export const pages: Record<string, (target: Target) => string> = {
  listing: ({ slug }) => `/hub/orchestrations/${slug}`,
  "listing by id": ({ id }) => `/hub/orchestrations/${id}`,
  "listing of another type": ({ slug }) => `/hub/templates/${slug}`,
  "a version": ({ slug }) => `/hub/orchestrations/${slug}?v=1`,
  versions: ({ slug }) => `/hub/orchestrations/${slug}/versions`,
  difference: ({ slug }) => `/hub/orchestrations/${slug}/versions?from=1&to=2`,
  JSON: ({ slug }) => `/hub/orchestrations/${slug}.json`,
  Markdown: ({ slug }) => `/hub/orchestrations/${slug}.md`,
  picture: ({ slug }) => `/hub/orchestrations/${slug}.svg`,
  file: ({ slug }) => `/hub/orchestrations/${slug}/file?as=keyhub`,
  embed: ({ slug }) => `/hub/embed/${slug}`,
  "API by id": ({ id }) => `/api/hub/${id}`,
  "API by slug": ({ slug }) => `/api/hub/${slug}?version=1`,
  oEmbed: ({ slug, url }) => `/api/oembed?url=${encodeURIComponent(`${url}/hub/orchestrations/${slug}`)}`,
};
/** The addresses of pages and feeds of many listings: they may tell of the listings of all states. */
export const listPages: typeof pages = {
  home: () => "/hub",
  search: ({ word }) => `/hub?q=${word}`,
  tag: ({ word }) => `/hub?tag=${word.toLowerCase()}`,
  section: () => "/hub/orchestrations",
  feed: () => "/hub/feed.xml",
  "feed of the creator": ({ creator }) => `/hub/feed.xml?creator=${creator}`,
  sitemap: () => "/hub/sitemap.xml",
  creators: () => "/hub/creators",
  creator: ({ creator }) => `/hub/creators/${creator}`,
  "llms.txt": () => "/llms.txt",
};
