import type { Versions } from "@keyhub/hub/source";
import { assetPath } from "../data/addresses.ts";
import type { Difference } from "../data/difference.ts";
import type { Listing } from "../data/hub.ts";
import { Differences } from "../parts/differences.tsx";
import { History } from "../parts/history.tsx";

interface Props {
  asset: Listing;
  versions: Versions;
  /** The comparison; null when none was requested, or when one of the two versions may not be read. */
  compared: { from: number; to: number; differences: Difference[] } | null;
}

/** Shows all versions of a listing, and the difference of two of them. */
export function VersionsPage({ asset, versions, compared }: Props) {
  const path = assetPath(asset);
  const readable = versions.filter((one) => one.readable);
  return (
    <article class="versions" data-asset={asset.id} data-slug={asset.slug} data-type={asset.asset_type}>
      <p class="kind">
        <a href={path} dir="auto">
          {asset.title}
        </a>
      </p>
      <h1>Versions</h1>
      {readable.length > 1 && <Choice versions={readable} compared={compared} />}
      {compared && (
        <section aria-labelledby="difference">
          <h2 id="difference">
            From version {compared.from} to {compared.to}
          </h2>
          <Differences differences={compared.differences} />
        </section>
      )}
      <History
        versions={versions}
        current={asset.current_version}
        pathOf={(version) => (version === asset.current_version ? path : `${path}?v=${version}`)}
        changesOf={(from, to) => `${path}/versions?from=${from}&to=${to}`}
      />
    </article>
  );
}

/** Lets the reader choose two versions to compare, even without JavaScript. */
function Choice({ versions, compared }: { versions: Versions; compared: Props["compared"] }) {
  const options = (chosen: number | undefined) =>
    versions.map(({ version, label }) => (
      <option key={version} value={version} selected={version === chosen}>
        {version}
        {label ? ` · ${label}` : ""}
      </option>
    ));
  return (
    <form class="row compare" method="get">
      <label>
        Compare version <select name="from">{options(compared?.from ?? versions[1]?.version)}</select>
      </label>
      <label>
        with <select name="to">{options(compared?.to ?? versions[0]?.version)}</select>
      </label>
      <button type="submit">Compare</button>
    </form>
  );
}
