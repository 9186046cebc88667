import { guestHub } from "../app/session.ts";

const MOST = 6;

/** Returns at most six suggestions: titles and tags of listings that the search finds, and names of creators that contain the text. */
export async function suggestionsFor(typed: string): Promise<string[]> {
  const hub = guestHub();
  const [{ items }, people] = await Promise.all([
    hub.search({ q: typed, page_size: MOST }),
    hub.creators({ q: typed.replace(/^@/, ""), page_size: 2 }),
  ]);
  const start = typed.toLowerCase().replace(/^#/, "");
  const tags = items.flatMap(({ tags }) => tags).filter((tag) => tag.startsWith(start));
  const others = [...people.items.map(({ username }) => username), ...[...new Set(tags)].slice(0, 2)];
  return [...new Set([...items.slice(0, MOST - others.length).map(({ title }) => title), ...others])];
}
