import type { Context } from "../context.ts";
import { creatorPath, SECTIONS, TYPE_NAMES } from "../data/addresses.ts";
import type { AssetType } from "../data/hub.ts";
import { addressOf, emptyQuery, isAsked, type ListQuery, readQuery, searchRequest } from "../data/query.ts";
import { redirect } from "../http/respond.ts";
import { CreatorPage } from "../pages/creator.tsx";
import { CREATOR_SORTS, type CreatorSort, CreatorsPage, creatorsPath } from "../pages/creators.tsx";
import { HubPage, SearchPage } from "../pages/hub.tsx";
import { SECTION_WORDS, SectionPage } from "../pages/section.tsx";

export async function hubPage({ hub, url, origin, page }: Context): Promise<Response> {
  const query = readQuery(url.searchParams);
  const followed = feedQuery(query);
  const feed = addressOf("/hub/feed.xml", followed);
  const alternates = [
    {
      type: "application/atom+xml",
      href: feed,
      title: isAsked(followed) ? "Newest of these" : "Newest listings",
    },
  ];
  if (isAsked(query)) {
    // Show creators only for a search with words, and only on the first page.
    const isNamed = query.q.trim() !== "" && query.cursor === "";
    const [found, creators] = await Promise.all([
      hub.search({ ...searchRequest(query), facets: true }),
      isNamed && query.q.length <= 100 ? hub.creators({ q: query.q, page_size: 3 }) : null,
    ]);
    const head = {
      title: query.q.trim() ? `${query.q.trim()} · Keyhub` : "Browse · Keyhub",
      description: "Prompt templates, components, orchestrations and AI presets that people share.",
      canonical: `${origin}${addressOf("/hub", query)}`,
      alternates,
      noindex: true,
    };
    return page(
      head,
      <SearchPage query={query} page={found} feed={feed} creators={creators?.items ?? []} />,
      { q: query.q, section: "hub" },
    );
  }
  const [featured, trending, categories, newest] = await Promise.all([
    hub.featured(),
    hub.trending({ page_size: 6 }),
    hub.categories(),
    hub.search({ page_size: 12 }),
  ]);
  const head = {
    title: "Keyhub: prompts, components and pipelines that people share",
    description:
      "Find a prompt template, a component, an orchestration or an AI preset, look inside, take it home.",
    canonical: `${origin}/hub`,
    alternates,
    data: {
      "@context": "https://schema.org",
      "@type": "WebSite",
      name: "Keyhub",
      url: `${origin}/hub`,
      potentialAction: {
        "@type": "SearchAction",
        target: `${origin}/hub?q={search_term_string}`,
        "query-input": "required name=search_term_string",
      },
    },
  };
  return page(
    head,
    <HubPage
      landing={{ featured: featured.items, trending: trending.items, categories: categories.items, newest }}
    />,
    { section: "hub" },
  );
}

/** Returns the part of a search that a feed supports: a creator and tags. */
function feedQuery({ creator, tags }: ListQuery): ListQuery {
  return emptyQuery({ creator, tags });
}

export async function sectionPage({ hub, url, origin, page }: Context, type: AssetType): Promise<Response> {
  const query: ListQuery = { ...readQuery(url.searchParams), types: [] };
  const path = `/hub/${SECTIONS[type]}`;
  const found = await hub.search({ ...searchRequest({ ...query, types: [type] }), facets: true });
  const head = {
    title: `${TYPE_NAMES[type].many} · Keyhub`,
    description: SECTION_WORDS[type],
    canonical: `${origin}${addressOf(path, query)}`,
    noindex: isAsked(query),
  };
  return page(head, <SectionPage type={type} query={query} page={found} />, { section: SECTIONS[type] });
}

export async function creatorsPage({ hub, url, origin, page }: Context): Promise<Response> {
  const { searchParams } = url;
  const q = (searchParams.get("q") ?? "").trim().slice(0, 100).replace(/\0/g, "");
  const asked = searchParams.get("sort") ?? "";
  const sort = Object.hasOwn(CREATOR_SORTS, asked) ? (asked as CreatorSort) : "most_installed";
  const list = await hub.creators({ q, sort, cursor: searchParams.get("cursor") || null });
  const head = {
    title: "Creators · Keyhub",
    description: "Who shares prompts, components, pipelines and presets on the hub.",
    canonical: `${origin}${creatorsPath(q, sort)}`,
    noindex: q !== "",
  };
  return page(head, <CreatorsPage q={q} sort={sort} page={list} />, { section: "creators" });
}

export async function creatorPage({ hub, url, origin, page }: Context, username: string): Promise<Response> {
  const cursor = url.searchParams.get("cursor");
  const [first, list] = await Promise.all([
    hub.creator(username),
    cursor ? hub.search(searchRequest(emptyQuery({ creator: username, cursor }))) : null,
  ]);
  const creator = list ? { ...first, items: list.items, next_cursor: list.next_cursor } : first;
  const path = creatorPath(creator.username);
  const feed = addressOf("/hub/feed.xml", emptyQuery({ creator: creator.username }));
  if (username !== creator.username) return redirect(path);
  const name = creator.display_name || creator.username;
  const head = {
    title: `${name} · Keyhub`,
    description: `What ${name} shares on the hub: ${creator.published_assets} listings.`,
    canonical: `${origin}${path}`,
    alternates: [{ type: "application/atom+xml", href: feed, title: `Newest of ${name}` }],
    type: "profile" as const,
    data: {
      "@context": "https://schema.org",
      "@type": "ProfilePage",
      mainEntity: { "@type": "Person", name, alternateName: creator.username, url: `${origin}${path}` },
    },
  };
  return page(head, <CreatorPage creator={creator} path={path} feed={feed} />);
}
