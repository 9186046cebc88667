import { ASSET_TYPES, TYPE_NAMES } from "../data/addresses.ts";
import type { Facets } from "../data/hub.ts";
import { addressOf, CARDINALITIES, LICENSES, type ListQuery, SORTS } from "../data/query.ts";
import { CARDINALITY_NAMES, LICENSE_WORDS, number, SORT_NAMES } from "./format.ts";

const CARDINALITY_TAGS = new Set(CARDINALITIES.map((one) => one.toLowerCase()));

interface Props {
  path: string;
  query: ListQuery;
  facets?: Facets | undefined;
  /** Whether to show the filter by type; false on a page that lists one type only. */
  withTypes: boolean;
}

/** Shows the filters and the order of a list: a form that works without JavaScript, and links that add or remove one filter. */
export function Filters({ path, query, facets, withTypes }: Props) {
  const models = facets?.models ?? [];
  const tags = (facets?.tags ?? [])
    .filter(({ value }) => !query.tags.includes(value) && !CARDINALITY_TAGS.has(value))
    .slice(0, 12);
  const known = query.model === "" || models.some(({ value }) => value === query.model);
  return (
    <div class="filters">
      <form class="filter-form" action={path} method="get" data-filters>
        {query.q && <input type="hidden" name="q" value={query.q} />}
        {query.creator && <input type="hidden" name="creator" value={query.creator} />}
        {query.tags.map((tag) => (
          <input key={tag} type="hidden" name="tag" value={tag} />
        ))}
        {withTypes && (
          <Select
            name="type"
            label="Type"
            value={query.types[0] ?? ""}
            options={[
              ["", "All types"],
              ...ASSET_TYPES.map((type) => [type, TYPE_NAMES[type].many] as Option),
            ]}
          />
        )}
        {(facets || query.model) && (
          <Select
            name="model"
            label="Model"
            value={query.model}
            options={[
              ["", "Any model"],
              ...(known ? [] : [[query.model, query.model] as Option]),
              ...models.map(({ value, count }) => [value, `${value} (${number(count)})`] as Option),
            ]}
          />
        )}
        <Select
          name="cardinality"
          label="Cardinality"
          value={query.cardinality}
          options={[
            ["", "Any"],
            ...CARDINALITIES.map((one) => [one, CARDINALITY_NAMES[one] ?? one] as Option),
          ]}
        />
        <Select
          name="license"
          label="License"
          value={query.license}
          options={[["", "Any license"], ...LICENSES.map((one) => [one, LICENSE_WORDS[one].name] as Option)]}
        />
        <Select
          name="sort"
          label="Order"
          value={query.sort || (query.q.trim() ? "relevance" : "newest")}
          options={SORTS.filter((sort) => sort !== "relevance" || query.q.trim() !== "").map(
            (sort) => [sort, SORT_NAMES[sort]] as Option,
          )}
        />
        <button type="submit">Apply</button>
      </form>
      {(query.tags.length > 0 || query.creator) && (
        <ul class="tags chosen" aria-label="Chosen filters">
          {query.tags.map((tag) => (
            <li key={tag}>
              <a
                class="tag on"
                href={addressOf(path, {
                  ...query,
                  cursor: "",
                  tags: query.tags.filter((one) => one !== tag),
                })}
              >
                #{tag} <span aria-hidden="true">×</span>
                <span class="hidden"> take away</span>
              </a>
            </li>
          ))}
          {query.creator && (
            <li>
              <a class="tag on" href={addressOf(path, { ...query, cursor: "", creator: "" })}>
                @{query.creator} <span aria-hidden="true">×</span>
                <span class="hidden"> take away</span>
              </a>
            </li>
          )}
        </ul>
      )}
      {tags.length > 0 && (
        <ul class="tags" aria-label="Tags of these listings">
          {tags.map(({ value, count }) => (
            <li key={value}>
              <a class="tag" href={addressOf(path, { ...query, cursor: "", tags: [...query.tags, value] })}>
                #{value} <span class="count">{number(count)}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

type Option = [value: string, name: string];

function Select({
  name,
  label,
  value,
  options,
}: {
  name: string;
  label: string;
  value: string;
  options: Option[];
}) {
  return (
    <label class="field">
      <span>{label}</span>
      <select name={name}>
        {options.map(([one, text]) => (
          <option key={one} value={one} selected={one === value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
