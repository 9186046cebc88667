import { useCallback, useEffect, useState } from "preact/hooks";
import type { HubEvent, Moderation, ReviewQueue } from "../../../hub/src/index.ts";
import { say } from "../browser/message.ts";
import { sayTrouble } from "../browser/trouble.ts";
import { assetPath } from "../data/addresses.ts";
import { date } from "../parts/words.ts";
import { Featured } from "./featured.tsx";
import { type Trouble, troubleOf } from "./problem-words.ts";
import { loginPath } from "./session.ts";
import { Skeleton } from "./skeleton.tsx";
import { TroubleNote } from "./trouble-note.tsx";
import { useViewer } from "./use-viewer.ts";

/** What is hidden or reported, and what an admin can do about it. */
export default function Admin() {
  const viewer = useViewer();
  const [queue, setQueue] = useState<ReviewQueue | null>(null);
  const [events, setEvents] = useState<HubEvent[]>([]);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const moderation = viewer?.member?.hub.moderation ?? null;

  const load = useCallback(async () => {
    if (!moderation) return;
    setTrouble(null);
    try {
      const [entries, log] = await Promise.all([moderation.reviewQueue(), moderation.events()]);
      setQueue(entries);
      setEvents(log);
    } catch (error) {
      setTrouble(await troubleOf(error));
    }
  }, [moderation]);
  useEffect(() => void load(), [load]);

  async function act(done: string, work: (moderation: Moderation) => Promise<void>): Promise<void> {
    if (!moderation) return;
    try {
      await work(moderation);
      say(done);
    } catch (error) {
      await sayTrouble(error, () => void act(done, work));
    }
    await load();
  }

  if (viewer && !viewer.member) {
    return (
      <div class="empty">
        <h1>For admins</h1>
        <p>
          <a class="button" href={loginPath("/admin")}>
            Sign in
          </a>
        </p>
      </div>
    );
  }
  if (trouble) {
    return (
      <>
        <h1>For admins</h1>
        <TroubleNote trouble={trouble} onRetry={load} />
      </>
    );
  }
  if (queue === null || !viewer?.member) return <Skeleton />;
  return (
    <>
      <h1>Review queue</h1>
      {queue.length === 0 && <p class="quiet">Nothing is hidden or reported.</p>}
      {queue.map((entry) => (
        <Entry key={entry.asset_id} entry={entry} act={act} />
      ))}
      <Featured hub={viewer.member.hub} act={act} />
      <Log events={events} />
    </>
  );
}

/** What was done lately. */
function Log({ events }: { events: readonly HubEvent[] }) {
  return (
    <section aria-labelledby="log">
      <h2 id="log">What was done</h2>
      <ul class="reports">
        {events.map((event) => (
          <li key={event.id}>
            <p dir="auto">
              <strong>{event.action.replaceAll("_", " ")}</strong> {date(event.at)}
              {event.note && <>: {event.note}</>}
            </p>
            <code class="quiet">{event.asset_id ?? event.user_id}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface EntryProps {
  entry: ReviewQueue[number];
  act: (done: string, work: (moderation: Moderation) => Promise<void>) => Promise<void>;
}

function Entry({ entry, act }: EntryProps) {
  const [note, setNote] = useState("");
  const { asset_id, title, creator_id, creator_username, is_hidden, hidden_reason, reports } = entry;
  return (
    <article class="review" aria-label={title}>
      <h2 dir="auto">{is_hidden ? title : <a href={assetPath(entry)}>{title}</a>}</h2>
      <p class="quiet">
        {creator_username ? `@${creator_username}` : "deleted account"}
        {entry.creator_banned && ", banned"} · {is_hidden ? `hidden (${hidden_reason})` : "visible"} ·{" "}
        {entry.open_reports} open reports, {entry.counting_reports} count · version {entry.current_version}
      </p>
      <ul class="reports">
        {reports.map((report) => (
          <li key={report.id}>
            <p dir="auto">
              <strong>{report.reason.replace("_", " ")}</strong> {date(report.created_at)}
              {!report.counts && <span class="quiet"> (does not count)</span>}
              {report.details && <>: {report.details}</>}
            </p>
            <span class="row">
              <button
                type="button"
                onClick={() =>
                  void act("Dismissed.", (hub) => hub.resolveReport(report.id, "dismissed", note))
                }
              >
                Dismiss
              </button>
              <button
                type="button"
                onClick={() =>
                  void act("Upheld: hidden.", (hub) => hub.resolveReport(report.id, "upheld", note))
                }
              >
                Uphold
              </button>
            </span>
          </li>
        ))}
      </ul>
      <label class="field">
        <span>Note, for the log</span>
        <input value={note} onInput={({ currentTarget }) => setNote(currentTarget.value)} />
      </label>
      <p class="row">
        {is_hidden ? (
          <>
            <button type="button" onClick={() => void act("Restored.", (hub) => hub.restore(asset_id, note))}>
              Restore
            </button>
            <button
              type="button"
              onClick={() => {
                if (confirm(`Delete “${title}” for good? Only a tombstone stays.`))
                  void act("Deleted for good.", (hub) => hub.remove(asset_id, note));
              }}
            >
              Permanently delete
            </button>
          </>
        ) : (
          <button
            type="button"
            onClick={() => void act("Hidden.", (hub) => hub.hide(asset_id, note || "review"))}
          >
            Hide
          </button>
        )}
        {creator_id &&
          (entry.creator_banned ? (
            <button type="button" onClick={() => void act("Unbanned.", (hub) => hub.unban(creator_id))}>
              Unban the creator
            </button>
          ) : (
            <button
              type="button"
              onClick={() => {
                if (confirm(`Ban @${creator_username}? All their listings are hidden.`))
                  void act("Banned.", (hub) => hub.ban(creator_id, note || "review"));
              }}
            >
              Ban the creator
            </button>
          ))}
      </p>
    </article>
  );
}
