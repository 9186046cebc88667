import type { Card } from "@keyhub/hub/source";
import { useCallback, useEffect, useState } from "preact/hooks";
import { showFailure } from "../browser/show-failure.ts";
import { assetPath, creatorPath, TYPE_NAMES } from "../data/addresses.ts";
import { date } from "../parts/format.ts";
import { FailureNote } from "./failure-note.tsx";
import { type ShownFailure, shownFailureOf } from "./failure-text.ts";
import { Skeleton } from "./skeleton.tsx";
import { useViewer } from "./use-viewer.ts";
import { ForMembers, WorkspaceNav } from "./workspace-nav.tsx";

/** Shows the creators whom the caller follows, and their listings, newest first. */
export default function Following() {
  const viewer = useViewer();
  const [creators, setCreators] = useState<string[] | null>(null);
  const [cards, setCards] = useState<Card[]>([]);
  const [cursor, setCursor] = useState<string | null>(null);
  const [failure, setFailure] = useState<ShownFailure | null>(null);
  const hub = viewer?.member?.hub;

  const load = useCallback(async () => {
    if (!hub) return;
    setFailure(null);
    try {
      const [names, page] = await Promise.all([hub.followed(), hub.following()]);
      setCreators(names);
      setCards(page.items);
      setCursor(page.next_cursor);
    } catch (error) {
      setFailure(await shownFailureOf(error));
    }
  }, [hub]);
  useEffect(() => void load(), [load]);

  async function more(): Promise<void> {
    try {
      const page = await hub?.following({ cursor });
      setCards((now) => [...now, ...(page?.items ?? [])]);
      setCursor(page?.next_cursor ?? null);
    } catch (error) {
      await showFailure(error, () => void more());
    }
  }

  async function unfollow(username: string): Promise<void> {
    try {
      await hub?.unfollow(username);
      await load();
    } catch (error) {
      await showFailure(error, () => void unfollow(username));
    }
  }

  return (
    <>
      <WorkspaceNav at="following" />
      {viewer && !hub ? (
        <ForMembers title="Following" back="/workspace/following" why="Sign in to follow creators." />
      ) : (
        <>
          <h1>Following</h1>
          <FailureNote failure={failure} onRetry={load} />
          {!creators && !failure && <Skeleton />}
          {creators?.length === 0 && (
            <p class="quiet">
              Nobody yet. <a href="/hub/creators">Find creators</a> and follow them on their pages.
            </p>
          )}
          <ul class="shelf">
            {creators?.map((username) => (
              <li key={username}>
                <a href={creatorPath(username)}>@{username}</a>
                <button
                  type="button"
                  aria-label={`Unfollow ${username}`}
                  onClick={() => void unfollow(username)}
                >
                  Unfollow
                </button>
              </li>
            ))}
          </ul>
          {creators && creators.length > 0 && <h2>What they published</h2>}
          {creators && creators.length > 0 && cards.length === 0 && (
            <p class="quiet">Nothing at the moment.</p>
          )}
          <ul class="shelf">
            {cards.map((card) => (
              <li key={card.id} class={card.asset_type}>
                <span>
                  <a href={assetPath(card)} dir="auto">
                    {card.title}
                  </a>{" "}
                  <span class="quiet">
                    {TYPE_NAMES[card.asset_type].one} by @{card.creator?.username}
                  </span>
                </span>
                {card.published_at && <span class="quiet">{date(card.published_at)}</span>}
              </li>
            ))}
          </ul>
          {cursor && (
            <p class="pages">
              <button type="button" onClick={() => void more()}>
                More
              </button>
            </p>
          )}
        </>
      )}
    </>
  );
}
