import { creatorPath } from "../data/addresses.ts";
import type { CreatorCard, CreatorList } from "../data/hub.ts";
import { counted, number } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { Avatar } from "./creator.tsx";

export const CREATOR_SORTS = {
  most_installed: "Most installed",
  most_starred: "Most stars",
  newest: "Newest",
} as const;
export type CreatorSort = keyof typeof CREATOR_SORTS;

interface Props {
  q: string;
  sort: CreatorSort;
  page: CreatorList;
}

/** Returns the address of the directory of creators, without default values. */
export function creatorsPath(q: string, sort: CreatorSort, cursor = ""): string {
  const params = new URLSearchParams();
  if (q) params.set("q", q);
  if (sort !== "most_installed") params.set("sort", sort);
  if (cursor) params.set("cursor", cursor);
  const text = params.toString();
  return text ? `/hub/creators?${text}` : "/hub/creators";
}

/** Shows the directory of everybody who has a listing on the hub. */
export function CreatorsPage({ q, sort, page }: Props) {
  return (
    <>
      <h1 class="list-title">Creators</h1>
      <p class="quiet">Everybody who shares something here. You can follow them on their pages.</p>
      <form class="find within" action="/hub/creators" method="get">
        <label class="hidden" for="within">
          Search for a creator
        </label>
        <input id="within" name="q" type="search" value={q} maxLength={100} placeholder="A name" />
        {sort !== "most_installed" && <input type="hidden" name="sort" value={sort} />}
        <button type="submit">Search</button>
      </form>
      <nav class="row orders" aria-label="Order">
        {Object.entries(CREATOR_SORTS).map(([name, text]) => (
          <a
            key={name}
            class={name === sort ? "tag on" : "tag"}
            href={creatorsPath(q, name as CreatorSort)}
            aria-current={name === sort ? "true" : undefined}
          >
            {text}
          </a>
        ))}
      </nav>
      {page.items.length === 0 ? (
        <div class="empty">
          <h2>Nobody found</h2>
          <p>Search for a part of the name that is shown, or of the user name.</p>
        </div>
      ) : (
        <CreatorCards creators={page.items} as="h2" />
      )}
      {page.next_cursor && (
        <p class="pages">
          <a class="button" rel="next" href={creatorsPath(q, sort, page.next_cursor)}>
            Next page
          </a>
        </p>
      )}
    </>
  );
}

export function CreatorCards({ creators, as: Heading }: { creators: CreatorCard[]; as: "h2" | "h3" }) {
  return (
    <ul class="creators">
      {creators.map((one) => (
        <li key={one.username} class="creator-card">
          <Avatar username={one.username} url={one.avatar_url} />
          <div>
            <Heading class="card-title" dir="auto">
              <a class="cover" href={creatorPath(one.username)}>
                {one.display_name || `@${one.username}`}
              </a>
            </Heading>
            <p class="quiet">@{one.username}</p>
            <p class="counts">
              <span>{counted(one.published_assets, "listing")}</span>
              <span title={counted(one.total_installs, "install")}>
                <Icon name="install" /> <span class="hidden">Installs:</span> {number(one.total_installs)}
              </span>
              <span title={counted(one.total_stars, "star")}>
                <Icon name="star" /> <span class="hidden">Stars:</span> {number(one.total_stars)}
              </span>
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}
