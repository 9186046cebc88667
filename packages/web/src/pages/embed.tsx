import { assetPath, TYPE_NAMES } from "../data/addresses.ts";
import type { Listing } from "../data/hub.ts";
import { LICENSE_WORDS, number } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { useChosenPicture } from "../parts/picture.tsx";

/** Shows a card for other sites: it has no script, and never the component itself. */
export function EmbedPage({ asset, style, origin }: { asset: Listing; style: string; origin: string }) {
  const picture = useChosenPicture(asset);
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{asset.title}</title>
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <link rel="canonical" href={`${origin}${assetPath(asset)}`} />
        <link rel="stylesheet" href={style} />
      </head>
      <body class="embed">
        <main class={`card ${asset.asset_type}`}>
          {picture && <img class="embed-picture" src={picture} alt="" referrerpolicy="no-referrer" />}
          <div class="card-body">
            <p class="kind">
              <Icon name={asset.asset_type} />
              {TYPE_NAMES[asset.asset_type].one} · {LICENSE_WORDS[asset.license].name}
            </p>
            <h1 class="card-title" dir="auto">
              <a class="cover" href={`${origin}${assetPath(asset)}`} target="_blank" rel="noopener">
                {asset.title}
              </a>
            </h1>
            <p class="card-description" dir="auto">
              {asset.description}
            </p>
            <div class="card-foot">
              <span class="creator">
                <span class="creator-name">
                  {asset.creator ? `@${asset.creator.username}` : "deleted account"}
                </span>
              </span>
              <span class="counts">
                <span>
                  <Icon name="install" /> <span class="hidden">Installs:</span> {number(asset.install_count)}
                </span>
                <span>
                  <Icon name="star" /> <span class="hidden">Stars:</span> {number(asset.star_count)}
                </span>
              </span>
            </div>
          </div>
        </main>
      </body>
    </html>
  );
}
