import type { CreatorPage as Data } from "../data/hub.ts";
import { Cards } from "../parts/card.tsx";
import { counted, month, number } from "../parts/format.ts";
import { Initial } from "../parts/initial.tsx";

export function CreatorPage({ creator, path, feed }: { creator: Data; path: string; feed: string }) {
  return (
    <>
      <section class="profile">
        <Avatar username={creator.username} url={creator.avatar_url} />
        <div>
          <h1 dir="auto">{creator.display_name || `@${creator.username}`}</h1>
          <p class="quiet">
            @{creator.username} · member since {month(creator.member_since)} · <a href={feed}>Feed</a>
          </p>
          <dl class="figures">
            <div>
              <dt>Published</dt>
              <dd>{number(creator.published_assets)}</dd>
            </div>
            <div>
              <dt>Installs</dt>
              <dd>{number(creator.total_installs)}</dd>
            </div>
            <div>
              <dt>Stars</dt>
              <dd>{number(creator.total_stars)}</dd>
            </div>
          </dl>
          <p>
            <a
              class="button"
              href={`/login?returnTo=${encodeURIComponent(path)}`}
              data-action="follow"
              data-creator={creator.username}
            >
              Follow
            </a>
          </p>
        </div>
      </section>
      <section aria-labelledby="assets">
        <h2 id="assets">{counted(creator.published_assets, "listing")}</h2>
        {creator.items.length > 0 ? (
          <Cards cards={creator.items} />
        ) : (
          <p class="quiet">Nothing is published at the moment.</p>
        )}
        {creator.next_cursor && (
          <p class="pages">
            <a class="button" rel="next" href={`${path}?cursor=${encodeURIComponent(creator.next_cursor)}`}>
              Next page
            </a>
          </p>
        )}
      </section>
    </>
  );
}

/** Shows the picture of a person, or the first letter of the name. */
export function Avatar({ username, url }: { username: string; url: string | null }) {
  if (url?.startsWith("https://")) {
    return <img class="avatar" src={url} alt="" width="96" height="96" referrerpolicy="no-referrer" />;
  }
  return <Initial of={username} large />;
}
