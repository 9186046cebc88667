import { assetPath, SECTIONS, TYPE_NAMES, TYPE_OF_SECTION } from "./data/addresses.ts";
import { addressOf, emptyQuery, isAsked, type Query, readQuery, searchArguments } from "./data/query.ts";
import type { Asset, AssetType, Card, Tombstone } from "./data/types.ts";
import { assetJson } from "./formats/asset-json.ts";
import { assetMarkdown } from "./formats/asset-markdown.ts";
import { feed } from "./formats/feed.ts";
import { llmsText } from "./formats/llms.ts";
import { oembed, slugOf } from "./formats/oembed.ts";
import { sitemap } from "./formats/sitemap.ts";
import { EMBED_CSP, PICTURE_CSP } from "./http/csp.ts";
import { html, json, open, redirect } from "./http/respond.ts";
import { AssetPage } from "./pages/asset.tsx";
import { CreatorPage } from "./pages/creator.tsx";
import { EmbedPage } from "./pages/embed.tsx";
import { HubPage, SearchPage } from "./pages/hub.tsx";
import { MessagePage } from "./pages/message.tsx";
import { SECTION_WORDS, SectionPage } from "./pages/section.tsx";
import { PipelineDrawing, readPipeline } from "./parts/pipeline.tsx";
import { renderPage, renderXml } from "./render.tsx";
import { type Context, notFound } from "./server.tsx";

type Answer = Promise<Response> | Response | null;

/** The answer to a GET; null where there is nothing. */
export function answer(context: Context): Answer {
  const parts = pathParts(context.url.pathname);
  if (parts === null) return null;
  const [first, second, third, ...more] = parts;
  if (more.length > 0) return null;
  if (first === undefined) return redirect("/hub", 302);
  if (first === "llms.txt" && second === undefined) {
    return open(context.request, llmsText(context.origin), "text/plain; charset=utf-8");
  }
  if (first === "api" && second === "oembed" && third === undefined) return oembedAnswer(context);
  if (first === "api" && second === "hub" && third !== undefined) return openJson(context, third);
  if (first !== "hub") return null;
  if (second === undefined) return hubPage(context);
  if (third === undefined) {
    if (second === "feed.xml") return feedAnswer(context);
    if (second === "sitemap.xml") return sitemapAnswer(context);
    const type = TYPE_OF_SECTION[second];
    return type ? sectionPage(context, type) : null;
  }
  if (second === "creators") return creatorPage(context, third);
  if (second === "embed") return embedPage(context, third);
  const type = TYPE_OF_SECTION[second];
  return type ? assetAnswer(context, type, third) : null;
}

/** The parts of a path, decoded; null when it is none that we write. */
function pathParts(pathname: string): string[] | null {
  const parts = pathname.split("/").slice(1);
  if (parts.at(-1) === "") parts.pop();
  try {
    const decoded = parts.map(decodeURIComponent);
    return decoded.every((part) => part !== "" && !part.includes("/") && !part.includes("\0")) ? decoded : null;
  } catch {
    return null;
  }
}

async function hubPage({ hub, url, origin, page }: Context): Promise<Response> {
  const query = readQuery(url.searchParams);
  const alternates = [{ type: "application/atom+xml", href: "/hub/feed.xml", title: "Newest listings" }];
  if (isAsked(query)) {
    const found = await hub.search({ ...searchArguments(query), facets: true });
    const head = {
      title: query.q.trim() ? `${query.q.trim()} · Keyhub` : "Browse · Keyhub",
      description: "Prompt templates, components, orchestrations and AI presets that people share.",
      canonical: `${origin}${addressOf("/hub", query)}`,
      alternates,
      noindex: true,
    };
    return page(head, <SearchPage query={query} page={found} />, { q: query.q, section: "hub" });
  }
  const [featured, trending, categories, newest] = await Promise.all([
    hub.featured(),
    hub.trending(6),
    hub.categories(),
    hub.search({ page_size: 12 }),
  ]);
  const head = {
    title: "Keyhub: prompts, components and pipelines that people share",
    description: "Find a prompt template, a component, an orchestration or an AI preset, look inside, take it home.",
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
  return page(head, <HubPage landing={{ featured, trending, categories, newest }} />, { section: "hub" });
}

async function sectionPage({ hub, url, origin, page }: Context, type: AssetType): Promise<Response> {
  const query: Query = { ...readQuery(url.searchParams), types: [] };
  const path = `/hub/${SECTIONS[type]}`;
  const found = await hub.search({ ...searchArguments({ ...query, types: [type] }), facets: true });
  const head = {
    title: `${TYPE_NAMES[type].many} · Keyhub`,
    description: SECTION_WORDS[type],
    canonical: `${origin}${addressOf(path, query)}`,
    noindex: isAsked(query),
  };
  return page(head, <SectionPage type={type} query={query} page={found} />, { section: SECTIONS[type] });
}

async function creatorPage({ hub, url, origin, page }: Context, username: string): Promise<Response> {
  const cursor = url.searchParams.get("cursor");
  const [first, list] = await Promise.all([
    hub.creator(username),
    cursor ? hub.search(searchArguments(emptyQuery({ creator: username, cursor }))) : null,
  ]);
  const creator = list ? { ...first, items: list.items, next_cursor: list.next_cursor } : first;
  const path = `/hub/creators/${encodeURIComponent(creator.username)}`;
  if (username !== creator.username) return redirect(path);
  const name = creator.display_name || creator.username;
  const head = {
    title: `${name} · Keyhub`,
    description: `What ${name} shares on the hub: ${creator.published_assets} listings.`,
    canonical: `${origin}${path}`,
    type: "profile" as const,
    data: {
      "@context": "https://schema.org",
      "@type": "ProfilePage",
      mainEntity: { "@type": "Person", name, alternateName: creator.username, url: `${origin}${path}` },
    },
  };
  return page(head, <CreatorPage creator={creator} path={path} />);
}

const ENDINGS = { ".json": "json", ".md": "markdown", ".svg": "picture" } as const;

async function assetAnswer(context: Context, type: AssetType, last: string): Promise<Response> {
  const ending = Object.keys(ENDINGS).find((one) => last.endsWith(one)) as keyof typeof ENDINGS | undefined;
  const name = ending ? last.slice(0, -ending.length) : last;
  const asset = await context.hub.asset(name, versionOf(context.url));
  if (asset.deleted) return goneAnswer(context, asset, ending === ".json");
  if (!asset.is_visible) return notFound(context);
  if (asset.slug !== name || asset.asset_type !== type) {
    return redirect(`${assetPath(asset)}${ending ?? ""}${context.url.search}`);
  }
  switch (ending) {
    case ".json":
      return json(context.request, assetJson(asset, context.origin));
    case ".md":
      return open(context.request, assetMarkdown(asset, context.origin), "text/markdown; charset=utf-8");
    case ".svg":
      return pictureAnswer(context, asset);
    case undefined:
      return assetPage(context, asset);
    default:
      throw new Error(`unknown ending: ${String(ending satisfies never)}`);
  }
}

async function assetPage({ hub, url, origin, page }: Context, asset: Asset): Promise<Response> {
  const cursor = url.searchParams.get("remixes");
  const remixes =
    asset.remix_count > 0 ? await hub.remixes(asset.id, cursor ?? undefined) : { items: [], next_cursor: null };
  const path = assetPath(asset);
  const description = (asset.description ?? TYPE_NAMES[asset.asset_type].one).slice(0, 300);
  const by = asset.creator ? ` by @${asset.creator.username}` : "";
  const picture = asset.thumbnail_url?.startsWith("https://")
    ? asset.thumbnail_url
    : `${origin}/preview-${SECTIONS[asset.asset_type]}.png`;
  const head = {
    title: `${asset.title}${by} · Keyhub`,
    description,
    canonical: `${origin}${path}`,
    image: picture,
    type: "article" as const,
    alternates: [
      { type: "application/json", href: `${path}.json` },
      { type: "text/markdown", href: `${path}.md` },
      {
        type: "application/json+oembed",
        href: `/api/oembed?url=${encodeURIComponent(`${origin}${path}`)}`,
        title: asset.title,
      },
    ],
    data: {
      "@context": "https://schema.org",
      "@type": "CreativeWork",
      name: asset.title,
      description,
      url: `${origin}${path}`,
      dateModified: asset.content_updated_at,
      keywords: asset.tags.join(", "),
      ...(asset.creator ? { author: { "@type": "Person", name: asset.creator.username } } : {}),
    },
  };
  return page(head, <AssetPage asset={asset} remixes={remixes} origin={origin} />, {
    section: SECTIONS[asset.asset_type],
  });
}

/** A deleted listing: 410 with what its remixes still name. */
function goneAnswer(context: Context, asset: Tombstone, asJson: boolean): Response | Promise<Response> {
  if (asJson) return json(context.request, asset, { status: 410 });
  const title = asset.title ? `“${asset.title}” was deleted` : "This listing was deleted";
  const text = asset.creator
    ? `@${asset.creator.username} has taken it off the hub. Remixes of it go on.`
    : "Remixes of it go on.";
  return context.page({ title: "Deleted · Keyhub", description: text }, <MessagePage title={title} text={text} />, {
    status: 410,
  });
}

function pictureAnswer(context: Context, asset: Asset): Promise<Response> | Response {
  if (asset.asset_type !== "orchestration") return notFound(context);
  const drawing = renderXml(<PipelineDrawing pipeline={readPipeline(asset.payload)} id="picture" />);
  return open(context.request, drawing, "image/svg+xml; charset=utf-8", {
    headers: { "Content-Security-Policy": PICTURE_CSP },
  });
}

async function embedPage(context: Context, slug: string): Promise<Response> {
  const asset = await context.hub.asset(slug);
  if (asset.deleted) return goneAnswer(context, asset, false);
  if (!asset.is_visible) return notFound(context);
  const document = <EmbedPage asset={asset} style={context.assets.style} origin={context.origin} />;
  return html(renderPage(document), { csp: EMBED_CSP });
}

/** `GET /api/hub/:id`, for programs. Errors are problems. */
async function openJson(context: Context, idOrSlug: string): Promise<Response> {
  const asset = await context.hub.asset(idOrSlug, versionOf(context.url)).catch((error: unknown) => {
    if ((error as { status?: number }).status === 404) return null;
    throw error;
  });
  if (asset === null || (!asset.deleted && !asset.is_visible)) {
    return problem(context.request, 404, "asset_not_found", "There is no such listing.");
  }
  if (asset.deleted) return json(context.request, asset, { status: 410 });
  return json(context.request, assetJson(asset, context.origin));
}

async function oembedAnswer(context: Context): Promise<Response> {
  const { url, request, origin } = context;
  const format = url.searchParams.get("format") ?? "json";
  if (format !== "json") return problem(request, 501, "format_not_supported", "Only format=json is there.");
  const slug = slugOf(url.searchParams.get("url") ?? "", origin);
  const asset = slug === null ? null : await context.hub.asset(slug).catch(() => null);
  if (asset === null || asset.deleted || !asset.is_visible) {
    return problem(request, 404, "asset_not_found", "url is no listing of this hub.");
  }
  return json(request, oembed(asset, origin));
}

function problem(request: Request, status: number, code: string, detail: string): Promise<Response> {
  return json(request, { type: "about:blank", title: detail, status, code, detail }, {
    status,
    type: "application/problem+json",
  });
}

async function feedAnswer(context: Context): Promise<Response> {
  const { items } = await context.hub.search({ page_size: 50 });
  return open(context.request, feed(items, context.origin), "application/atom+xml; charset=utf-8");
}

/** At most this many addresses: five calls. */
const SITEMAP_PAGES = 5;

async function sitemapAnswer(context: Context): Promise<Response> {
  const cards: Card[] = [];
  let cursor: string | null = null;
  for (let place = 0; place < SITEMAP_PAGES; place += 1) {
    const found: Awaited<ReturnType<typeof context.hub.search>> = await context.hub.search({
      page_size: 100,
      sort: "newest",
      ...(cursor ? { cursor } : {}),
    });
    cards.push(...found.items);
    cursor = found.next_cursor;
    if (cursor === null) break;
  }
  return open(context.request, sitemap(cards, context.origin), "application/xml; charset=utf-8");
}

/** `?version=3`; anything else is the current one. */
function versionOf(url: URL): number | undefined {
  const text = url.searchParams.get("version") ?? "";
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}
