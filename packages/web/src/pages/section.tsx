import { SECTIONS, TYPE_NAMES } from "../data/addresses.ts";
import type { AssetType, FacetedPage } from "../data/hub.ts";
import type { ListQuery } from "../data/query.ts";
import { Filters } from "../parts/filters.tsx";
import { Results } from "../parts/list.tsx";

export const SECTION_WORDS: Record<AssetType, string> = {
  orchestration: "Pipelines of several stages, with the prompts that they use.",
  template: "Prompts with variables to fill in.",
  component: "Views that show the answers of a model. Look at the source before you run it.",
  ai_preset: "Settings of a model that fit a task.",
};

export function SectionPage({ type, query, page }: { type: AssetType; query: ListQuery; page: FacetedPage }) {
  const path = `/hub/${SECTIONS[type]}`;
  return (
    <>
      <h1 class="list-title">{TYPE_NAMES[type].many}</h1>
      <p class="quiet">{SECTION_WORDS[type]}</p>
      <form class="find within" action={path} method="get">
        <label class="hidden" for="within">
          Search in {TYPE_NAMES[type].many}
        </label>
        <input
          id="within"
          name="q"
          type="search"
          value={query.q}
          maxLength={500}
          placeholder={`Search in ${TYPE_NAMES[type].many.toLowerCase()}`}
        />
        <button type="submit">Search</button>
      </form>
      <Filters path={path} query={query} facets={page.facets} withTypes={false} />
      <Results path={path} query={query} page={page} />
    </>
  );
}
