import type { Hub } from "./hub.ts";

export interface BenchCall {
  name: string;
  /** The largest ratio to the time of `floor`; 0 for a call that is only shown for comparison. */
  aim: number;
  run: (hub: Hub) => Promise<unknown>;
}

/**
 * The least work for a page of results: reads 24 rows by primary key. It uses the connection and the row level security that the calls use.
 */
export const floor = ({ guest, ids }: Hub) => guest`
  select id, slug, asset_type, title, description, tags, thumbnail_url, license, install_count, star_count, published_at,
    content_updated_at, remix_depth from hub_assets where id = any(${ids})`;

interface Search {
  q?: string;
  types?: string[];
  tags?: string[];
  sort?: string;
  cursor?: string | null;
  facets?: boolean;
}

const search = (name: string, aim: number, what: Search | ((hub: Hub) => Search)): BenchCall => ({
  name,
  aim,
  run: (hub) => {
    const asked = typeof what === "function" ? what(hub) : what;
    return hub.guest`
      select hub_search(q => ${asked.q ?? null}, types => ${asked.types ?? null}, tags => ${asked.tags ?? null},
        sort => ${asked.sort ?? null}, cursor => ${asked.cursor ?? null}, facets => ${asked.facets ?? false})`;
  },
});

/** The searches by relevance whose pages 2 and 5 are measured, too: the words of each search, by the name of its row in the table. */
export const PAGED = {
  "a word of 60 %": "assistant",
  "two words": "meeting notes",
  "a prefix": "tra",
  "a slip": "meetng",
};
const pages = [2, 5].flatMap((page) =>
  Object.entries(PAGED).map(([name, q]) =>
    search(`${name}, page ${page}`, 20, ({ cursors }) => ({ q, cursor: cursors[`${q} ${page}`] ?? null })),
  ),
);

const sorts = ["most_starred", "most_installed", "recently_updated"];
const deep = (sort: string) => (hub: Hub) => ({ sort, cursor: hub.cursors[sort] ?? null });

export const calls: BenchCall[] = [
  search("newest", 5, {}),
  ...sorts.map((sort) => search(sort.replaceAll("_", " "), 5, { sort })),
  search("newest, page 1,000", 5, deep("newest")),
  search("most starred, page 1,000", 5, deep("most_starred")),
  search("most installed, page 1,000", 5, deep("most_installed")),
  search("a type, by installs", 5, { types: ["template"], sort: "most_installed" }),
  search("the rarest type, by stars", 5, { types: ["ai_preset"], sort: "most_starred" }),
  search("a common tag", 5, { tags: ["education"] }),
  search("a tag of one in 300", 5, { tags: ["topic-100"] }),
  search("a tag of one in 3,000", 5, { tags: ["topic-900"] }),
  search("the rarest tag", 5, (hub) => ({ tags: [hub.rareTag] })),
  search("a tag of one in 3,000, by stars", 5, { tags: ["topic-900"], sort: "most_starred" }),
  search("two tags", 5, { tags: ["education", "gpt-4o"] }),
  search("a rare word", 10, (hub) => ({ q: hub.rareWord })),
  search("a word of 60 %, by relevance", 60, { q: "assistant" }),
  search("the same, newest first", 10, { q: "assistant", sort: "newest" }),
  search("the same, by stars", 10, { q: "assistant", sort: "most_starred" }),
  search("two words", 60, { q: "meeting notes" }),
  search("two seldom words", 60, { q: "Rechnung correo" }),
  search("a prefix", 60, { q: "tra" }),
  search("a slip", 60, { q: "meetng" }),
  search("CJK", 60, { q: "翻訳" }),
  ...pages,
  search("facets of a common word", 0, { q: "assistant", facets: true }),
  { name: "trending, from a snapshot", aim: 10, run: ({ guest }) => guest`select hub_trending()` },
  { name: "categories, from a snapshot", aim: 10, run: ({ guest }) => guest`select hub_categories()` },
  {
    name: "a creator's page",
    aim: 10,
    run: ({ guest, creator }) => guest`select hub_creator(${creator})`,
  },
  { name: "remixes of the root", aim: 5, run: ({ guest, root }) => guest`select hub_remixes(${root})` },
  {
    name: "remixes, page 1,000",
    aim: 5,
    run: ({ guest, root, cursors }) => guest`select hub_remixes(${root}, ${cursors.remixes ?? null})`,
  },
];

/**
 * Calls on a hub without a scheduler. A star has made the snapshot of trending before. Categories have no snapshot, so they are estimated.
 */
export const unscheduledCalls: BenchCall[] = [
  { name: "trending, from a writer's snapshot", aim: 10, run: ({ guest }) => guest`select hub_trending()` },
  { name: "categories, live", aim: 10, run: ({ guest }) => guest`select hub_categories()` },
];
/** The call of trending when there is no recent snapshot: it computes the list itself. */
export const liveCalls: BenchCall[] = [
  { name: "trending, live", aim: 10, run: ({ guest }) => guest`select hub_trending()` },
];

/** The usual solutions of other projects, for comparison. */
export const otherCalls: BenchCall[] = [
  {
    name: "(ilike of a rare word)",
    aim: 0,
    run: ({ guest, rareWord }) => guest`
      select * from hub_listings where title ilike ${`%${rareWord}%`} or description ilike ${`%${rareWord}%`} order by star_count desc limit 24`,
  },
  {
    name: "(offset 24,000)",
    aim: 0,
    run: ({ guest, assets }) => guest`
      select * from hub_assets where is_visible order by published_at desc, id desc limit 24 offset ${Math.min(24_000, Math.round(assets * 0.9))}`,
  },
  {
    name: "(count=exact)",
    aim: 0,
    run: ({ guest }) => guest`select count(*) from hub_assets where is_visible`,
  },
  {
    name: "(unbounded ts_rank)",
    aim: 0,
    run: ({ guest }) => guest`
      select id from hub_assets where is_visible and to_tsvector('simple', title || ' ' || description) @@ websearch_to_tsquery('simple', 'assistant')
      order by ts_rank(to_tsvector('simple', title || ' ' || description), websearch_to_tsquery('simple', 'assistant')) desc limit 24`,
  },
];
