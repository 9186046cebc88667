import type { Moderation, OpenAppeals } from "@keyhub/hub/source";
import { useState } from "preact/hooks";
import { time } from "../../parts/format.ts";

export type RunModeration = (done: string, work: (moderation: Moderation) => Promise<void>) => Promise<void>;

/** Shows the appeals of creators against decisions, which an admin accepts or rejects. */
export function Appeals({ appeals, act }: { appeals: OpenAppeals; act: RunModeration }) {
  return (
    <section aria-labelledby="appeals">
      <h2 id="appeals">Appeals</h2>
      {appeals.length === 0 && <p class="quiet">No appeals are waiting for an answer.</p>}
      {appeals.map((one) => (
        <Entry key={one.id} appeal={one} act={act} />
      ))}
    </section>
  );
}

function Entry({ appeal, act }: { appeal: OpenAppeals[number]; act: RunModeration }) {
  const [answer, setAnswer] = useState("");
  const { id, action, decided_at, category, note, version, title, username, created_at, body } = appeal;
  const subject = action === "banned" ? `The ban of @${username}` : `“${title}” by @${username}`;
  const resolve = (accept: boolean) =>
    void act(accept ? "Accepted." : "Rejected.", (hub) => hub.resolveAppeal(id, accept, answer));
  return (
    <article class="review" aria-label={`Appeal: ${subject}`}>
      <h3 dir="auto">{subject}</h3>
      <p class="quiet" dir="auto">
        {action} <time dateTime={decided_at}>{time(decided_at)}</time>
        {category && ` (${category.replace("_", " ")})`}
        {version !== null && ` · version ${version}`}
        {note && ` · told: ${note}`}
      </p>
      <p dir="auto">
        <time dateTime={created_at}>{time(created_at)}</time>: {body}
      </p>
      <label class="field">
        <span>Answer, which the creator will read</span>
        <textarea
          value={answer}
          maxLength={2000}
          rows={2}
          dir="auto"
          onInput={({ currentTarget }) => setAnswer(currentTarget.value)}
        />
      </label>
      <p class="quiet">
        {action === "banned"
          ? "Accept lifts the ban."
          : action === "removed"
            ? "Accept lets the creator publish the item again; its old versions are gone."
            : "Accept restores the listing and dismisses its open reports."}
      </p>
      <p class="row">
        <button type="button" onClick={() => resolve(true)}>
          Accept
        </button>
        <button type="button" onClick={() => resolve(false)}>
          Reject
        </button>
      </p>
    </article>
  );
}
