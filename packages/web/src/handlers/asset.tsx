import { writableFormats, writeForeign } from "@keyhub/core/formats";
import { type Context, NotFound, requireListing, versionOf } from "../context.ts";
import { assetPath, SECTIONS, TYPE_NAMES } from "../data/addresses.ts";
import type { AssetAnswer, AssetType, Listing } from "../data/hub.ts";
import { NotDrawn } from "../drawing/drawing.ts";
import { embedCsp, PICTURE_CSP } from "../http/csp.ts";
import { html, json, open, openMade, redirect } from "../http/respond.ts";
import { assetJson } from "../page-formats/asset-json.ts";
import { assetMarkdown } from "../page-formats/asset-markdown.ts";
import { AssetPage } from "../pages/asset.tsx";
import { EmbedPage } from "../pages/embed.tsx";
import { MessagePage } from "../pages/message.tsx";
import { chosenPicture, ProjectUrl } from "../parts/picture.tsx";
import { sketched } from "../parts/poster/drawable.ts";
import { LinkPicture } from "../parts/poster/link-picture.tsx";
import { Poster } from "../parts/poster/poster.tsx";
import { renderPage, renderXml } from "../render.tsx";

const ENDINGS = { ".json": "json", ".md": "markdown", ".svg": "picture", ".png": "link picture" } as const;

export async function assetReply(context: Context, type: AssetType, last: string): Promise<Response> {
  const { request, origin, api, url } = context;
  const ending = Object.keys(ENDINGS).find((one) => last.endsWith(one)) as keyof typeof ENDINGS | undefined;
  const name = ending ? last.slice(0, -ending.length) : last;
  const found = await context.hub.asset(name, versionOf(url));
  if (found.deleted) return goneReply(context, found, ending === ".json");
  const asset = requireListing(found);
  if (asset.slug !== name || asset.asset_type !== type) {
    return redirect(`${assetPath(asset)}${ending ?? ""}${url.search}`);
  }
  switch (ending) {
    case ".json":
      return json(request, assetJson(asset, origin, api));
    case ".md":
      return open(request, assetMarkdown(asset, origin), "text/markdown; charset=utf-8");
    case ".svg":
      return pictureReply(context, asset);
    case ".png":
      return linkPictureReply(context, asset);
    case undefined:
      return assetPage(context, asset);
    default:
      throw new Error(`unknown ending: ${String(ending satisfies never)}`);
  }
}

/**
 * Answers `/hub/<section>/<slug>/file?as=<format>`: the asset as a file of the tool that it was made with, or of another tool that can use
 * it.
 */
export async function fileReply(context: Context, type: AssetType, name: string): Promise<Response> {
  const { request, hub, url } = context;
  const found = await hub.asset(name, versionOf(url));
  if (found.deleted) return goneReply(context, found, false);
  const asset = requireListing(found);
  if (asset.slug !== name || asset.asset_type !== type)
    return redirect(`${assetPath(asset)}/file${url.search}`);
  if (!asset.readable) throw new NotFound();
  const format = url.searchParams.get("as") ?? writableFormats(asset)[0]?.id ?? "";
  const file = writeForeign(format, asset);
  if (file === null) throw new NotFound();
  return open(request, file.text, "text/plain; charset=utf-8", {
    headers: { "Content-Disposition": `attachment; filename="${file.filename}"` },
  });
}

async function assetPage({ hub, url, origin, api, page }: Context, asset: Listing): Promise<Response> {
  const cursor = url.searchParams.get("remixes");
  const remixes =
    asset.remix_count > 0 ? await hub.remixes(asset.id, { cursor }) : { items: [], next_cursor: null };
  const path = assetPath(asset);
  const description = (asset.description ?? TYPE_NAMES[asset.asset_type].one).slice(0, 300);
  const by = asset.creator ? ` by @${asset.creator.username}` : "";
  const picture = chosenPicture(asset, api) ?? `${origin}${path}.png`;
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

/** Answers 410 for a deleted listing, with its title and creator if the hub still has them. */
function goneReply(
  context: Context,
  asset: AssetAnswer & { deleted: true },
  asJson: boolean,
): Response | Promise<Response> {
  if (asJson) return json(context.request, asset, { status: 410 });
  const title = "title" in asset ? `“${asset.title}” was deleted` : "This listing was deleted";
  const text =
    "title" in asset && asset.creator
      ? `@${asset.creator.username} has taken it off the hub. Remixes of it go on.`
      : "Remixes of it go on.";
  return context.page(
    { title: "Deleted · Keyhub", description: text },
    <MessagePage title={title} text={text} />,
    {
      status: 410,
    },
  );
}

function pictureReply(context: Context, asset: Listing): Promise<Response> {
  const drawing = renderXml(<Poster asset={asset} />);
  return open(context.request, drawing, "image/svg+xml; charset=utf-8", {
    headers: { "Content-Security-Policy": PICTURE_CSP },
  });
}

/**
 * Returns the picture of a link (`og:image`): a PNG, as many sites show no SVG. If it cannot be drawn, redirects to the type's picture.
 */
async function linkPictureReply({ request, draw }: Context, asset: Listing): Promise<Response> {
  try {
    const drawing = sketched(renderXml(<LinkPicture asset={asset} />));
    return await openMade(request, drawing, "image/png", (name) => draw(name, drawing));
  } catch (error) {
    if (!(error instanceof NotDrawn)) throw error;
    const Location = `/pictures/${SECTIONS[asset.asset_type]}.png`;
    return new Response(null, { status: 302, headers: { Location, "Cache-Control": "no-store" } });
  }
}

/** Returns the card that other sites embed. */
export async function embedPage(context: Context, slug: string): Promise<Response> {
  const found = await context.hub.asset(slug);
  if (found.deleted) return goneReply(context, found, false);
  const document = (
    <ProjectUrl.Provider value={context.api}>
      <EmbedPage asset={requireListing(found)} style={context.assets.style} origin={context.origin} />
    </ProjectUrl.Provider>
  );
  return html(renderPage(document), { csp: embedCsp(new URL(context.api).origin) });
}
