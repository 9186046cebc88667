import type { Versions } from "@keyhub/hub/source";
import { date, LICENSE_WORDS } from "./format.ts";

interface Props {
  versions: Versions;
  /** The number of the current version. */
  current: number;
  pathOf: (version: number) => string;
  /** Returns the address of the difference of two versions. */
  changesOf?: (from: number, to: number) => string;
  heading?: "h2" | "h3";
}

/** Shows the versions of a listing, newest first: the changelog, and a link to each version that the reader may read. */
export function History({ versions, current, pathOf, changesOf, heading: Heading = "h2" }: Props) {
  return (
    <ol class="history" reversed>
      {versions.map((one, place) => {
        const earlier = versions.slice(place + 1).find(({ readable }) => readable);
        return (
          <li key={one.version} value={one.version} data-version={one.version} id={`v${one.version}`}>
            <Heading>
              Version {one.version}
              {one.label && (
                <>
                  {" "}
                  · <bdi>{one.label}</bdi>
                </>
              )}
              {one.version === current && <span class="tag">current</span>}
              {one.yanked && <span class="tag warn">withdrawn</span>}
            </Heading>
            <p class="quiet">
              {date(one.published_at)} · {LICENSE_WORDS[one.license].name}
            </p>
            {one.yanked && (
              <p class="warning" dir="auto">
                Its creator has withdrawn this version{one.yank_reason ? `: ${one.yank_reason}` : "."}
              </p>
            )}
            {one.changelog && (
              <p class="changelog" dir="auto">
                {one.changelog}
              </p>
            )}
            {one.readable && (
              <p class="row">
                <a href={pathOf(one.version)}>Look at it</a>
                {earlier && changesOf && <a href={changesOf(earlier.version, one.version)}>What changed</a>}
              </p>
            )}
          </li>
        );
      })}
    </ol>
  );
}
