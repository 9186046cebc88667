import { tagPath } from "../data/addresses.ts";
import type { Card, Categories, FacetedPage, SearchPage as Page } from "../data/hub.ts";
import type { Query } from "../data/query.ts";
import { Cards } from "../parts/card.tsx";
import { Filters } from "../parts/filters.tsx";
import { Results } from "../parts/list.tsx";
import { number } from "../parts/words.ts";

export interface Landing {
  featured: Card[];
  trending: Card[];
  categories: Categories["items"];
  newest: Page;
}

/** The landing page: what people chose, what moves, where to look. */
export function HubPage({ landing }: { landing: Landing }) {
  const { featured, trending, categories, newest } = landing;
  if (newest.items.length === 0) return <EmptyHub />;
  return (
    <>
      <section class="hero">
        <h1>Prompts, components and pipelines that people share</h1>
        <p>
          Find one, look inside, take it home. Remix what is close to what you need: whose work it was stays
          with it, always.
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
            <option value="orchestration">Orchestrations</option>
            <option value="template">Templates</option>
            <option value="component">Components</option>
            <option value="ai_preset">AI presets</option>
          </select>
          <button class="button" type="submit">
            Search
          </button>
        </form>
      </section>
      {featured.length > 0 && (
        <section aria-labelledby="featured">
          <h2 id="featured">Featured</h2>
          <Cards cards={featured.slice(0, 6)} />
        </section>
      )}
      {trending.length > 0 && (
        <section aria-labelledby="trending">
          <h2 id="trending">Trending this week</h2>
          <Cards cards={trending.slice(0, 6)} />
        </section>
      )}
      <section aria-labelledby="categories">
        <h2 id="categories">Browse by category</h2>
        {(["use-case", "domain"] as const).map((kind) => (
          <ul key={kind} class="tags categories" aria-label={kind === "domain" ? "Domains" : "Use cases"}>
            {categories
              .filter((one) => one.kind === kind)
              .map(({ tag, count }) => (
                <li key={tag}>
                  <a class="tag" href={tagPath(tag)}>
                    #{tag} <span class="count">{number(count)}</span>
                  </a>
                </li>
              ))}
          </ul>
        ))}
      </section>
      <section aria-labelledby="newest">
        <h2 id="newest">Newest</h2>
        <Cards cards={newest.items.slice(0, 12)} />
        <p class="pages">
          <a class="button" href="/hub?sort=newest">
            Browse everything
          </a>
        </p>
      </section>
    </>
  );
}

/** A list with filters: what the landing page becomes once something is asked for. */
export function SearchPage({ query, page }: { query: Query; page: FacetedPage }) {
  const words = query.q.trim();
  return (
    <>
      <h1 class="list-title" dir="auto">
        {words ? `Results for “${words}”` : "Browse the hub"}
      </h1>
      <Filters path="/hub" query={query} facets={page.facets} withTypes />
      <Results path="/hub" query={query} page={page} />
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
        <a class="button" href="/workspace">
          To the workspace
        </a>
      </p>
    </div>
  );
}
