import type { Card, Hub, Moderation } from "@keyhub/hub/source";
import { useCallback, useEffect, useState } from "preact/hooks";
import { assetPath, TYPE_NAMES } from "../../data/addresses.ts";
import { FailureNote } from "../failure-note.tsx";
import { type ShownFailure, shownFailureOf } from "../failure-text.ts";
import { Skeleton } from "../skeleton.tsx";

/** The largest number of listings that a search shows. To find others, the admin can type other words. */
const MOST_FOUND = 8;

interface Props {
  hub: Hub;
  act: (done: string, work: (moderation: Moderation) => Promise<void>) => Promise<void>;
}

/** Shows the curated collection of the landing page in its order; an admin adds, removes and moves listings. */
export function Featured({ hub, act }: Props) {
  const [cards, setCards] = useState<Card[] | null>(null);
  const [found, setFound] = useState<Card[] | null>(null);
  const [failure, setFailure] = useState<ShownFailure | null>(null);

  const load = useCallback(async () => {
    setFailure(null);
    try {
      setCards((await hub.featured()).items);
    } catch (error) {
      setFailure(await shownFailureOf(error));
    }
  }, [hub]);
  useEffect(() => void load(), [load]);

  async function change(done: string, work: (moderation: Moderation) => Promise<void>): Promise<void> {
    await act(done, work);
    await load();
  }

  const move = (from: number, to: number) => {
    const order = [...(cards ?? [])];
    order.splice(to, 0, ...order.splice(from, 1));
    // Show the new order at once. `change` stores it, then reads the stored order.
    setCards(order);
    const ids = order.map(({ id }) => id);
    return change("Moved.", (moderation) => moderation.arrangeFeatured(ids));
  };

  async function find(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const typed = String(new FormData(event.currentTarget as HTMLFormElement).get("listing")).trim();
    if (typed === "") return;
    setFailure(null);
    try {
      setFound(await listingsFor(hub, typed));
    } catch (error) {
      setFailure(await shownFailureOf(error));
    }
  }

  const featured = new Set(cards?.map(({ id }) => id));
  return (
    <section aria-labelledby="featured">
      <h2 id="featured">Featured on the landing page</h2>
      <FailureNote failure={failure} onRetry={load} />
      {!cards && !failure && <Skeleton />}
      {cards?.length === 0 && <p class="quiet">Nothing is featured.</p>}
      <ol class="shelf">
        {cards?.map((card, i) => (
          <li key={card.id} class={card.asset_type}>
            <Name card={card} />
            <span class="row">
              <button
                type="button"
                disabled={i === 0}
                aria-label={`Move ${card.title} up`}
                onClick={() => void move(i, i - 1)}
              >
                ↑
              </button>
              <button
                type="button"
                disabled={i === cards.length - 1}
                aria-label={`Move ${card.title} down`}
                onClick={() => void move(i, i + 1)}
              >
                ↓
              </button>
              <button
                type="button"
                aria-label={`Take out ${card.title}`}
                onClick={() => void change("Taken out.", (moderation) => moderation.unfeature(card.id))}
              >
                Take out
              </button>
            </span>
          </li>
        ))}
      </ol>
      <form class="row" onSubmit={find}>
        <label class="field grow">
          <span>Find a listing: words, its address, or the last part of it</span>
          <input name="listing" type="search" maxLength={500} dir="auto" required />
        </label>
        <button type="submit">Find</button>
      </form>
      {found?.length === 0 && (
        <p class="quiet" role="status">
          No visible listing matches.
        </p>
      )}
      {found && found.length > 0 && (
        <ul class="shelf" aria-label="Found">
          {found.map((card) => (
            <li key={card.id} class={card.asset_type}>
              <Name card={card} />
              <button
                type="button"
                disabled={featured.has(card.id)}
                aria-label={featured.has(card.id) ? `Is featured: ${card.title}` : `Feature ${card.title}`}
                onClick={() => void change("Featured.", (moderation) => moderation.feature(card.id))}
              >
                {featured.has(card.id) ? "Is featured" : "Feature"}
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Name({ card }: { card: Card }) {
  return (
    <span>
      <a href={assetPath(card)} dir="auto">
        {card.title}
      </a>{" "}
      <span class="quiet">
        {TYPE_NAMES[card.asset_type].one}
        {card.creator && ` by @${card.creator.username}`}
      </span>
    </span>
  );
}

/** Returns the listing whose address or slug was typed, then the listings that a search for the typed words finds. */
async function listingsFor(hub: Hub, typed: string): Promise<Card[]> {
  const slug =
    typed
      .replace(/[?#].*$/, "")
      .split("/")
      .filter(Boolean)
      .at(-1) ?? typed;
  const [named, searched] = await Promise.all([
    hub.listings({ slugs: [slug], limit: 1 }),
    hub.search({ q: typed, page_size: MOST_FOUND }),
  ]);
  const others = searched.items.filter(({ id }) => id !== named[0]?.id);
  return [...named, ...others].slice(0, MOST_FOUND);
}
