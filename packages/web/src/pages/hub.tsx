import { ASSET_TYPES, SECTIONS, TYPE_NAMES, TYPES_IN_ORDER } from "../data/addresses.ts";
import type {
  Card,
  Categories as CategoryList,
  CreatorCard,
  FacetedPage,
  SearchPage as Page,
} from "../data/hub.ts";
import type { ListQuery } from "../data/query.ts";
import { Cards } from "../parts/card.tsx";
import { Categories } from "../parts/categories.tsx";
import { Filters } from "../parts/filters.tsx";
import { Icon } from "../parts/icon.tsx";
import { Results } from "../parts/list.tsx";
import { usePictureOf } from "../parts/picture.tsx";
import { CreatorCards } from "./creators.tsx";
import { SECTION_WORDS } from "./section.tsx";

export interface Landing {
  featured: Card[];
  trending: Card[];
  categories: CategoryList["items"];
  newest: Page;
}

/** Shows the landing page: featured and trending listings, categories, and the newest listings. */
export function HubPage({ landing }: { landing: Landing }) {
  const { featured, trending, categories, newest } = landing;
  if (newest.items.length === 0) return <EmptyHub />;
  return (
    <>
      <section class="hero">
        <div class="hero-words">
          <h1>Prompts, components and pipelines that people share</h1>
          <p>
            Find one, look inside, take it home. Remix what is close to what you need: the names of those
            whose work it was always stay with it.
          </p>
          <form class="hero-find" action="/hub" method="get">
            <label class="hidden" for="hero-q">
              Search the hub
            </label>
            <input
              id="hero-q"
              name="q"
              type="search"
              maxLength={500}
              placeholder="meeting minutes, SQL, 翻訳 …"
            />
            <label class="hidden" for="hero-type">
              Type
            </label>
            <select id="hero-type" name="type">
              <option value="">All types</option>
              {TYPES_IN_ORDER.map((type) => (
                <option key={type} value={type}>
                  {TYPE_NAMES[type].many}
                </option>
              ))}
            </select>
            <button class="button" type="submit">
              Search
            </button>
          </form>
        </div>
        <div class="hero-pictures" aria-hidden="true">
          {[...featured, ...trending].slice(0, 3).map((card) => (
            <HeroPicture key={card.id} card={card} />
          ))}
        </div>
      </section>
      <section aria-labelledby="kinds">
        <h2 id="kinds" class="hidden">
          Types of listings
        </h2>
        <ul class="kinds">
          {ASSET_TYPES.map((type) => (
            <li key={type}>
              <a class={`kind-tile ${type}`} href={`/hub/${SECTIONS[type]}`}>
                <span class="kind-sign">
                  <Icon name={type} />
                </span>
                <span>
                  <strong>{TYPE_NAMES[type].many}</strong>
                  <span class="quiet">{SECTION_WORDS[type]}</span>
                </span>
              </a>
            </li>
          ))}
        </ul>
      </section>
      {featured.length > 0 && (
        <section aria-labelledby="featured">
          <h2 id="featured">Featured</h2>
          <Cards cards={featured.slice(0, 5)} layout="lead" />
        </section>
      )}
      {trending.length > 0 && (
        <section aria-labelledby="trending">
          <h2 id="trending">Trending this week</h2>
          <Cards cards={trending.slice(0, 6)} layout="thirds" />
        </section>
      )}
      <section aria-labelledby="categories">
        <h2 id="categories">Browse by category</h2>
        <Categories items={categories} />
      </section>
      <section aria-labelledby="newest">
        <h2 id="newest">Newest</h2>
        <Cards cards={newest.items.slice(0, 8)} />
        <p class="pages">
          <a class="button primary" href="/hub?sort=newest">
            Browse everything
          </a>
        </p>
      </section>
    </>
  );
}

interface SearchProps {
  query: ListQuery;
  page: FacetedPage;
  feed: string;
  /** Creators whose names contain the words of the search. */
  creators: CreatorCard[];
}

/** Shows a list with filters. It replaces the landing page as soon as a search or a filter is set. */
export function SearchPage({ query, page, feed, creators }: SearchProps) {
  const words = query.q.trim();
  return (
    <>
      <h1 class="list-title" dir="auto">
        {words ? `Results for “${words}”` : "Browse the hub"}
      </h1>
      <Filters path="/hub" query={query} facets={page.facets} withTypes />
      {creators.length > 0 && (
        <section aria-labelledby="found-creators">
          <h2 id="found-creators">Creators</h2>
          <CreatorCards creators={creators} as="h3" />
        </section>
      )}
      <Results path="/hub" query={query} page={page} />
      {query.tags.length > 0 && (
        <p class="quiet">
          <a href={feed}>Feed of {query.tags.map((tag) => `#${tag}`).join(" ")}</a>
        </p>
      )}
    </>
  );
}

function EmptyHub() {
  return (
    <div class="empty">
      <h1>This hub is still empty</h1>
      <p>
        Nobody has shared anything yet. Make a template, a component or a preset in your workspace and share
        it.
      </p>
      <p>
        <a class="button primary" href="/workspace">
          To the workspace
        </a>
      </p>
    </div>
  );
}

function HeroPicture({ card }: { card: Card }) {
  return <img src={usePictureOf(card)} alt="" loading="lazy" width="480" height="240" />;
}
