import type {
  AssetAnswer,
  EventNames,
  HubEvent,
  Moderation,
  OpenAppeals,
  ReviewQueue,
} from "@keyhub/hub/source";
import { useCallback, useEffect, useState } from "preact/hooks";
import { say } from "../../browser/message.ts";
import { showFailure } from "../../browser/show-failure.ts";
import { assetPath } from "../../data/addresses.ts";
import { counted, time } from "../../parts/format.ts";
import { FailureNote } from "../failure-note.tsx";
import { type ShownFailure, shownFailureOf } from "../failure-text.ts";
import { loginPath, type SignedIn } from "../session.ts";
import { Skeleton } from "../skeleton.tsx";
import { useViewer } from "../use-viewer.ts";
import { WorkspaceNav } from "../workspace-nav.tsx";
import { Appeals, type RunModeration } from "./appeals.tsx";
import { Featured } from "./featured.tsx";
import { Orders } from "./orders.tsx";

/** Shows admins the hidden and reported listings, the appeals, the featured listings, the orders and the audit log. */
export default function Admin() {
  const viewer = useViewer();
  const [queue, setQueue] = useState<ReviewQueue | null>(null);
  const [appeals, setAppeals] = useState<OpenAppeals>([]);
  const [log, setLog] = useState<LogProps["log"]>(NOTHING_DONE);
  const [failure, setFailure] = useState<ShownFailure | null>(null);
  const moderation = viewer?.member?.hub.moderation ?? null;

  const load = useCallback(async () => {
    if (!moderation) return;
    setFailure(null);
    try {
      const [entries, events, open] = await Promise.all([
        moderation.reviewQueue(),
        moderation.events(),
        moderation.openAppeals(),
      ]);
      setLog({ events, names: await moderation.eventNames(events) });
      setAppeals(open);
      setQueue(entries);
    } catch (error) {
      setFailure(await shownFailureOf(error));
    }
  }, [moderation]);
  useEffect(() => void load(), [load]);

  async function act(done: string, work: (moderation: Moderation) => Promise<void>): Promise<void> {
    if (!moderation) return;
    try {
      await work(moderation);
      say(done);
    } catch (error) {
      await showFailure(error, () => void act(done, work));
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
  if (failure) {
    return (
      <>
        <h1>For admins</h1>
        <FailureNote failure={failure} onRetry={load} />
      </>
    );
  }
  if (queue === null || !viewer?.member) return <Skeleton />;
  const { hub } = viewer.member;
  return (
    <>
      <WorkspaceNav at="admin" />
      <h1>Review queue</h1>
      {queue.length === 0 && <p class="quiet">Nothing is hidden or reported.</p>}
      {queue.map((entry) => (
        <Entry key={entry.asset_id} entry={entry} hub={hub} act={act} />
      ))}
      <Appeals appeals={appeals} act={act} />
      <Featured hub={hub} act={act} />
      <Orders hub={hub} />
      <Log log={log} act={act} />
    </>
  );
}

/** Returns, for each user who is still banned, the id of the event that banned the user. `events` must be newest first. */
function bannedBy(events: readonly HubEvent[]): Map<string, HubEvent["id"]> {
  const seen = new Set<string>();
  const banned = new Map<string, HubEvent["id"]>();
  for (const { id, action, user_id } of events) {
    if (user_id === null || seen.has(user_id) || (action !== "banned" && action !== "unbanned")) continue;
    seen.add(user_id);
    if (action === "banned") banned.set(user_id, id);
  }
  return banned;
}

interface LogProps {
  log: { events: readonly HubEvent[]; names: EventNames };
  act: RunModeration;
}

const NOTHING_DONE: LogProps["log"] = { events: [], names: { listings: new Map(), users: new Map() } };

/** Shows the newest entries of the audit log. The entry of a ban has a button to unban the user. */
function Log({ log: { events, names }, act }: LogProps) {
  const banned = bannedBy(events);
  return (
    <section aria-labelledby="log">
      <h2 id="log">What was done</h2>
      <ul class="reports">
        {events.map((event) => (
          <li key={event.id}>
            <p dir="auto">
              <strong>{event.action.replaceAll("_", " ")}</strong>{" "}
              <time dateTime={event.at}>{time(event.at)}</time>
              {event.actor_id && (
                <>
                  {" "}
                  by <User id={event.actor_id} names={names} />
                </>
              )}
              {event.note && <>: {event.note}</>}
            </p>
            <p>
              {event.asset_id && <Subject id={event.asset_id} names={names} />}
              {event.asset_id && event.user_id && " · "}
              {event.user_id && <User id={event.user_id} names={names} />}
            </p>
            {event.user_id !== null && banned.get(event.user_id) === event.id && (
              <button
                type="button"
                onClick={() => void act("Unbanned.", (hub) => hub.unban(event.user_id ?? ""))}
              >
                Unban
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface NamedProps {
  id: string;
  names: EventNames;
}

/** Shows a listing by its title, with a link if it is visible: only a visible listing has a page. */
function Subject({ id, names }: NamedProps) {
  const listing = names.listings.get(id);
  if (!listing) return <code class="quiet">{id}</code>;
  return <bdi>{listing.is_visible ? <a href={assetPath(listing)}>{listing.title}</a> : listing.title}</bdi>;
}

function User({ id, names }: NamedProps) {
  const username = names.users.get(id);
  return username ? <>@{username}</> : <code class="quiet">{id}</code>;
}

/** Shows the content of a listing, even of a hidden one. The content is loaded when the box is opened. */
function Inside({ id, hub }: { id: string; hub: SignedIn["hub"] }) {
  const [asset, setAsset] = useState<AssetAnswer | null>(null);
  const [failure, setFailure] = useState<ShownFailure | null>(null);
  async function read(): Promise<void> {
    setFailure(null);
    try {
      setAsset(await hub.asset(id));
    } catch (error) {
      setFailure(await shownFailureOf(error));
    }
  }
  return (
    <details
      class="source"
      onToggle={({ currentTarget }) => void (currentTarget.open && asset === null && read())}
    >
      <summary>What is in it</summary>
      <FailureNote failure={failure} onRetry={read} />
      {asset && "payload" in asset && (
        <>
          <p dir="auto">{asset.description}</p>
          <p class="quiet">{asset.tags.map((tag) => `#${tag}`).join(" ")}</p>
          <pre tabIndex={0} dir="ltr">
            {JSON.stringify(
              { payload: asset.payload, items: asset.items.map((one) => one.payload) },
              null,
              2,
            )}
          </pre>
        </>
      )}
    </details>
  );
}

interface EntryProps {
  entry: ReviewQueue[number];
  hub: SignedIn["hub"];
  act: RunModeration;
}

function Entry({ entry, hub, act }: EntryProps) {
  const [note, setNote] = useState("");
  const [told, setTold] = useState("");
  const { asset_id, title, creator_id, creator_username, is_hidden, hidden_reason, reports } = entry;
  return (
    <article class="review" aria-label={title}>
      <h2 dir="auto">{is_hidden ? title : <a href={assetPath(entry)}>{title}</a>}</h2>
      <p class="quiet">
        {creator_username ? `@${creator_username}` : "deleted account"}
        {entry.creator_banned && ", banned"} · {is_hidden ? `hidden (${hidden_reason})` : "visible"} ·{" "}
        {counted(entry.open_reports, "open report")}, {entry.counting_reports} of them counting · version{" "}
        {entry.current_version}
      </p>
      <Inside id={asset_id} hub={hub} />
      {reports.length > 0 && (
        <p class="quiet">
          Uphold hides the listing and closes all its open reports. Dismiss closes this report only.
        </p>
      )}
      <ul class="reports">
        {reports.map((report) => (
          <li key={report.id}>
            <p dir="auto">
              <strong>{report.reason.replace("_", " ")}</strong>{" "}
              <time dateTime={report.created_at}>{time(report.created_at)}</time>
              {!report.counts && <span class="quiet"> (does not count)</span>}
              {report.details && <>: {report.details}</>}
            </p>
            {(report.work_url || report.work_holder) && (
              <p class="quiet">
                The work:{" "}
                {report.work_url && (
                  <a href={report.work_url} rel="nofollow noreferrer" dir="ltr">
                    {report.work_url}
                  </a>
                )}{" "}
                {report.work_holder && (
                  <>
                    of <bdi>{report.work_holder}</bdi>
                  </>
                )}
              </p>
            )}
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
                  void act("Upheld: the listing is hidden.", (hub) =>
                    hub.resolveReport(report.id, "upheld", note, told),
                  )
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
        <input value={note} maxLength={1000} onInput={({ currentTarget }) => setNote(currentTarget.value)} />
      </label>
      <label class="field">
        <span>Reason, which the creator will read</span>
        <input value={told} maxLength={1000} onInput={({ currentTarget }) => setTold(currentTarget.value)} />
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
                if (confirm(`Delete “${title}” for good? Only its address and its reports stay.`))
                  void act("Deleted for good.", (hub) => hub.remove(asset_id, note, told));
              }}
            >
              Permanently delete
            </button>
          </>
        ) : (
          <button
            type="button"
            onClick={() => void act("Hidden.", (hub) => hub.hide(asset_id, note || "review", told))}
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
                  void act("Banned.", (hub) => hub.ban(creator_id, note || "review", told));
              }}
            >
              Ban the creator
            </button>
          ))}
      </p>
    </article>
  );
}
