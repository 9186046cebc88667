import type { Card } from "@keyhub/hub/source";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { sayNotLoaded } from "../../browser/offline.ts";
import { showFailure } from "../../browser/show-failure.ts";
import { sharedPath, shelfPath } from "../../data/addresses.ts";
import { addressOf, emptyQuery, isAsked, readQuery, searchRequest } from "../../data/query.ts";
import { MembersOnly } from "../../parts/audience.tsx";
import { Cards } from "../../parts/card.tsx";
import { Filters } from "../../parts/filters.tsx";
import { FailureNote } from "../failure-note.tsx";
import { type ShownFailure, shownFailureOf } from "../failure-text.ts";
import { Skeleton } from "../skeleton.tsx";
import { OrganizationPage, type Scene } from "./organization.tsx";
import { pictureOfCard } from "./poster-of.tsx";

/** Shows the listings that an organization shares among its members, with search and filters. */
export default function Shelf({ slug }: { slug: string }) {
  return (
    <OrganizationPage slug={slug} at="shelf">
      {(scene) => <Listings key={scene.organization.id} {...scene} />}
    </OrganizationPage>
  );
}

function Listings({ member: { hub }, organization }: Scene) {
  const { slug, name } = organization;
  const path = shelfPath(slug);
  const { url, route } = useLocation();
  const query = readQuery(new URL(url, location.origin).searchParams);
  const asked = addressOf(path, query);
  const [cards, setCards] = useState<Card[] | null>(null);
  const [cursor, setCursor] = useState<string | null>(null);
  const [failure, setFailure] = useState<ShownFailure | null>(null);
  /** Increases with each request, so that a late answer to an earlier request is ignored. */
  const turn = useRef(0);

  const load = useCallback(async () => {
    turn.current += 1;
    const own = turn.current;
    setFailure(null);
    try {
      const page = await hub.organizations.shelf(slug, searchRequest(query));
      if (own !== turn.current) return;
      setCards(page.items);
      setCursor(page.next_cursor);
    } catch (error) {
      const shown = await shownFailureOf(error);
      if (own !== turn.current) return;
      setCards(null);
      setFailure(shown);
    }
  }, [hub, slug, asked]);
  useEffect(() => void load(), [load]);

  useEffect(() => {
    if (cards?.length) import("../../browser/actions.ts").then((own) => own.showStars(hub), sayNotLoaded);
  }, [hub, cards]);

  async function more(): Promise<void> {
    const own = turn.current;
    try {
      const page = await hub.organizations.shelf(slug, { ...searchRequest(query), cursor });
      if (own !== turn.current) return;
      setCards((now) => [...(now ?? []), ...page.items]);
      setCursor(page.next_cursor);
    } catch (error) {
      await showFailure(error, () => void more());
    }
  }

  /** Changes the address only in the browser, so that no server logs the members' searches. */
  const search = (event: SubmitEvent) => {
    event.preventDefault();
    const q = String(new FormData(event.currentTarget as HTMLFormElement).get("q"));
    route(addressOf(path, { ...query, q, cursor: "" }));
  };
  const filter = (event: SubmitEvent) => {
    event.preventDefault();
    const fields = [...new FormData(event.target as HTMLFormElement)];
    const params = new URLSearchParams(fields.map(([name, value]) => [name, String(value)]));
    route(addressOf(path, readQuery(params)));
  };

  const place = {
    pathOf: (card: Card) => sharedPath(slug, card),
    tagPath: (tag: string) => addressOf(path, emptyQuery({ tags: [tag] })),
    pictureOf: pictureOfCard,
    badge: <MembersOnly name={name} />,
  };

  return (
    <>
      <search>
        <form class="find within" onSubmit={search}>
          <label class="hidden" for="within">
            Search the shelf
          </label>
          <input
            id="within"
            name="q"
            type="search"
            key={query.q}
            defaultValue={query.q}
            maxLength={500}
            placeholder="Search the shelf"
          />
          <button type="submit">Search</button>
        </form>
        {/* A changed filter submits its form at once, without a click on the button. */}
        <div onSubmit={filter} onChange={({ target }) => (target as HTMLSelectElement).form?.requestSubmit()}>
          <Filters path={path} query={query} withTypes />
        </div>
      </search>
      <FailureNote failure={failure} onRetry={load} />
      {!cards && !failure && <Skeleton />}
      {cards?.length === 0 && (
        <div class="empty">
          <h2>{isAsked(query) ? "Nothing found" : "Nothing here yet"}</h2>
          <p>
            {isAsked(query)
              ? "Nothing on this shelf matches all of this. Remove a filter, or search for fewer words."
              : "Share an item of your workspace with this organization: only its members see it here."}
          </p>
          <a class="button" href={isAsked(query) ? path : "/workspace"}>
            {isAsked(query) ? "Show everything" : "To the workspace"}
          </a>
        </div>
      )}
      {cards && cards.length > 0 && <Cards cards={cards} as="h2" place={place} />}
      {cursor && (
        <p class="pages">
          <button type="button" onClick={() => void more()}>
            More
          </button>
        </p>
      )}
    </>
  );
}
