import { formatOf, requirementsOf, writableFormats } from "@keyhub/core/formats";
import { assetPath, creatorPath, filePath, SECTIONS, TYPE_NAMES, tagPath } from "../data/addresses.ts";
import { embedCode } from "../data/embed-code.ts";
import type { Listing, RemixPage } from "../data/hub.ts";
import { Badge } from "../parts/attribution.tsx";
import { Cards, Verified } from "../parts/card.tsx";
import { Content, stagesOf } from "../parts/content.tsx";
import { counted, date, LICENSE_WORDS, money, number, tagName } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { Initial } from "../parts/initial.tsx";
import { Models, Needs } from "../parts/needs.tsx";
import { countNodes } from "../parts/nodes.tsx";
import { useChosenPicture } from "../parts/picture.tsx";

interface Props {
  asset: Listing;
  remixes: RemixPage;
  /** The address of the site without a path. */
  origin: string;
}

/** Shows one listing with everything that helps a reader to decide whether to import it. */
export function AssetPage({ asset, remixes, origin }: Props) {
  const path = assetPath(asset);
  const picture = useChosenPicture(asset);
  const license = LICENSE_WORDS[asset.version_license];
  const source = formatOf(asset.payload.source_format);
  return (
    <article
      class={`asset ${asset.asset_type}`}
      data-asset={asset.id}
      data-slug={asset.slug}
      data-type={asset.asset_type}
      data-title={asset.title}
    >
      <header class="asset-head">
        <img class="asset-poster" src={`${path}.svg`} alt="" width="480" height="240" decoding="async" />
        <p class="kind">
          <Icon name={asset.asset_type} />
          <a href={`/hub/${SECTIONS[asset.asset_type]}`}>{TYPE_NAMES[asset.asset_type].one}</a>
        </p>
        <h1 dir="auto">{asset.title}</h1>
        <p class="by">
          {asset.creator ? (
            <>
              <Initial of={asset.creator.username} />
              by <a href={creatorPath(asset.creator.username)}>@{asset.creator.username}</a>
            </>
          ) : (
            "by a deleted account"
          )}
          {asset.creator?.verified && (
            <>
              {" "}
              <Verified />
            </>
          )}
          {asset.published_at && <> · {date(asset.published_at)}</>}
        </p>
        {asset.attribution && <Badge attribution={asset.attribution} section={SECTIONS[asset.asset_type]} />}
        <ul class="asset-counts">
          <li>
            <Icon name="star" /> <span data-stars={asset.id}>{number(asset.star_count)}</span>{" "}
            <span data-star-word>{asset.star_count === 1 ? "star" : "stars"}</span>
          </li>
          <li>
            <Icon name="install" /> {counted(asset.install_count, "install")}
          </li>
          <li>
            <Icon name="remix" />{" "}
            {asset.remix_count > 0 ? (
              <a href="#remixes">{counted(asset.remix_count, "remix", "remixes")}</a>
            ) : (
              "no remixes yet"
            )}
          </li>
        </ul>
        <div class="actions" data-actions>
          {asset.license === "paid" ? (
            <a class="button primary" href={`/login?returnTo=${encodeURIComponent(path)}`} data-action="buy">
              <span>Buy for {money(asset)}</span>
            </a>
          ) : (
            <>
              <a
                class="button primary"
                href={`/login?returnTo=${encodeURIComponent(path)}`}
                data-action="use"
              >
                <Icon name="install" /> Use this
              </a>
              <a class="button" href={`/login?returnTo=${encodeURIComponent(path)}`} data-action="remix">
                <Icon name="remix" /> Remix
              </a>
            </>
          )}
          <a class="button" href={`/login?returnTo=${encodeURIComponent(path)}`} data-action="star">
            <Icon name="star" /> <span>Star</span>
          </a>
          <a class="button quiet" href={`/login?returnTo=${encodeURIComponent(path)}`} data-action="report">
            <Icon name="flag" /> Report
          </a>
        </div>
      </header>
      <div class="asset-columns">
        <div class="asset-main" id="content">
          {picture && <img class="asset-picture" src={picture} alt="" referrerpolicy="no-referrer" />}
          {asset.version !== asset.current_version && (
            <p class="note">
              This is version {asset.version}. <a href={path}>The current one is {asset.current_version}.</a>
            </p>
          )}
          {asset.description && (
            <p class="description" dir="auto">
              {asset.description}
            </p>
          )}
          {asset.readable ? (
            <Content asset={asset} findings={asset.scan?.findings ?? []} />
          ) : (
            <section class="teaser" data-teaser aria-labelledby="teaser">
              <h2 id="teaser">A look inside</h2>
              <p class="description" dir="auto">
                {asset.teaser}
              </p>
              <p class="quiet">
                The content is for buyers: {money(asset)}, paid once. It stays yours, with every later
                version.
              </p>
            </section>
          )}
        </div>
        <aside class="asset-side" aria-label="Details">
          <dl class="details">
            <div>
              <dt>Type</dt>
              <dd>{TYPE_NAMES[asset.asset_type].one}</dd>
            </div>
            <div>
              <dt>License</dt>
              <dd>
                <strong>{license.name}</strong>
                <br />
                <span class="quiet">{license.says}</span>
              </dd>
            </div>
            {asset.readable && asset.asset_type === "orchestration" && (
              <div>
                <dt>{source ? "Nodes" : "Stages"}</dt>
                <dd>{source ? countNodes(asset.payload) : stagesOf(asset.payload).length}</dd>
              </div>
            )}
            {source && (
              <div>
                <dt>Made with</dt>
                <dd>
                  {source.name}
                  <br />
                  <a href={filePath(asset, source.id)} download>
                    Download the file
                  </a>
                </dd>
              </div>
            )}
            <Needs requirements={requirementsOf(asset.payload)} />
            <Models asset={asset} />
            <div>
              <dt>Version</dt>
              <dd>
                {asset.version}
                {asset.label && (
                  <>
                    {" "}
                    · <bdi>{asset.label}</bdi>
                  </>
                )}
                {publishedAt(asset) && <span class="quiet"> of {date(publishedAt(asset))}</span>}
                {asset.versions.length > 1 && (
                  <>
                    <br />
                    <a href={`${path}/versions`}>All versions and what changed</a>
                  </>
                )}
              </dd>
            </div>
            {asset.tags.length > 0 && (
              <div>
                <dt>Tags</dt>
                <dd>
                  <ul class="tags">
                    {asset.tags.map((tag) => (
                      <li key={tag}>
                        <a class="tag" href={tagPath(tag)} dir="auto">
                          #{tagName(tag)}
                        </a>
                      </li>
                    ))}
                  </ul>
                </dd>
              </div>
            )}
          </dl>
          <details class="take" id="take">
            <summary>Take it elsewhere</summary>
            <p>
              <a href={`${path}.json`}>JSON</a> · <a href={`${path}.md`}>Markdown</a>
            </p>
            {(asset.readable ? writableFormats(asset) : []).map(({ id, name }) => (
              <p key={id}>
                <a href={filePath(asset, id)} download>
                  Download as {name}
                </a>
              </p>
            ))}
            <label class="field">
              <span>Embed</span>
              <textarea readOnly rows={3} dir="ltr" data-select>
                {embedCode(asset, origin)}
              </textarea>
            </label>
            <label class="field">
              <span>Link for a README</span>
              <textarea readOnly rows={2} dir="ltr" data-select>
                {`[${asset.title.replace(/[[\]\\]/g, "\\$&")}](${origin}${path})`}
              </textarea>
            </label>
          </details>
        </aside>
      </div>
      {remixes.items.length > 0 && (
        <section aria-labelledby="remixes">
          <h2 id="remixes">Remixes</h2>
          <Cards cards={remixes.items} />
          {remixes.next_cursor && (
            <p class="pages">
              <a
                class="button"
                rel="next"
                href={`${path}?remixes=${encodeURIComponent(remixes.next_cursor)}#remixes`}
              >
                More remixes
              </a>
            </p>
          )}
        </section>
      )}
    </article>
  );
}

function publishedAt({ version, versions }: Listing): string {
  return versions.find((one) => one.version === version)?.created_at ?? "";
}
