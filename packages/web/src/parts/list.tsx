import type { FacetedPage } from "../data/hub.ts";
import { addressOf, isAsked, type ListQuery } from "../data/query.ts";
import { Cards } from "./card.tsx";
import { counted, number } from "./format.ts";

/** Shows a page of results and the link to the next page. */
export function Results({ path, query, page }: { path: string; query: ListQuery; page: FacetedPage }) {
  if (page.items.length === 0) {
    return (
      <div class="empty">
        <h2>{isAsked(query) ? "Nothing found" : "Nothing here yet"}</h2>
        <p>
          {isAsked(query)
            ? "No listing matches all of this. Remove a filter, or search for fewer words."
            : "The first listing could be yours: share an item of your workspace."}
        </p>
        <p>
          <a class="button" href={isAsked(query) ? path : "/workspace"}>
            {isAsked(query) ? "Show everything" : "To the workspace"}
          </a>
        </p>
      </div>
    );
  }
  return (
    <>
      <p class="quiet">{shownOf(page)}</p>
      <Cards cards={page.items} as="h2" />
      <nav class="pages" aria-label="Pages">
        {query.cursor && <a href={addressOf(path, { ...query, cursor: "" })}>First page</a>}
        {page.next_cursor && (
          <a class="button" rel="next" href={addressOf(path, { ...query, cursor: page.next_cursor })}>
            Next page
          </a>
        )}
      </nav>
    </>
  );
}

/** Returns a text with the number of results on the page and of all results. The facets count at most a thousand results. */
function shownOf({ items, facets }: FacetedPage): string {
  const all = facets.types.reduce((sum, { count }) => sum + count, 0);
  if (!facets.complete) return `${items.length} of more than ${number(all)} listings`;
  return items.length === all ? counted(all, "listing") : `${items.length} of ${counted(all, "listing")}`;
}
