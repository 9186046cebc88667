import { type Context, requireListing } from "../context.ts";
import { assetPath, SECTIONS } from "../data/addresses.ts";
import { differencesOf } from "../data/difference.ts";
import type { AssetType, HubReader, Listing } from "../data/hub.ts";
import { HubError } from "../data/hub.ts";
import { redirect } from "../http/respond.ts";
import { VersionsPage } from "../pages/versions.tsx";

/** Answers `/hub/<section>/<slug>/versions`, and with `?from=1&to=2` also the difference of two versions. */
export async function versionsPage(context: Context, type: AssetType, name: string): Promise<Response> {
  const { hub, url, origin, page } = context;
  const asset = requireListing(await hub.asset(name));
  const path = `${assetPath(asset)}/versions`;
  if (asset.slug !== name || asset.asset_type !== type) return redirect(`${path}${url.search}`);
  const [from, to] = [numberOf(url, "from"), numberOf(url, "to")];
  const [versions, before, after] = await Promise.all([
    hub.versions(asset.id),
    readable(hub, asset, from),
    readable(hub, asset, to),
  ]);
  const compared =
    before && after && from !== null && to !== null
      ? { from, to, differences: differencesOf(before, after) }
      : null;
  const head = {
    title: `Versions of ${asset.title} · Keyhub`,
    description: `What changed between the versions of ${asset.title}.`,
    canonical: `${origin}${path}`,
    noindex: compared !== null,
  };
  return page(head, <VersionsPage asset={asset} versions={versions} compared={compared} />, {
    section: SECTIONS[type],
  });
}

function numberOf(url: URL, name: string): number | null {
  const text = url.searchParams.get(name) ?? "";
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}

/** Returns the given version if everybody may read it, or else null. */
async function readable(hub: HubReader, asset: Listing, version: number | null): Promise<Listing | null> {
  if (version === null) return null;
  try {
    const found = version === asset.version ? asset : requireListing(await hub.asset(asset.id, { version }));
    return found.readable ? found : null;
  } catch (error) {
    if (error instanceof HubError && error.code === "asset_not_found") return null;
    throw error;
  }
}
