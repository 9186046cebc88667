import type { Hub, Decisions as Taken } from "@keyhub/hub/source";
import { useState } from "preact/hooks";
import { time } from "../../parts/format.ts";

type Decision = Taken[number];
type Act = (done: string, work: (hub: Hub) => Promise<unknown>) => Promise<boolean>;

/** Shows the decisions of moderation about the caller's listings and account, with reasons and the caller's appeals. */
export function Decisions({ decisions, act }: { decisions: Taken; act: Act }) {
  const holding = decisions.filter((one) => one.in_force);
  const earlier = decisions.filter((one) => !one.in_force);
  if (decisions.length === 0) return null;
  return (
    <section aria-labelledby="decisions">
      <h2 id="decisions">What moderation decided</h2>
      {holding.map((one) => (
        <Entry key={one.id} decision={one} act={act} />
      ))}
      {earlier.length > 0 && (
        <details>
          <summary>Earlier decisions</summary>
          {earlier.map((one) => (
            <Entry key={one.id} decision={one} act={act} />
          ))}
        </details>
      )}
    </section>
  );
}

const WHY: Record<string, string> = {
  reports: "several people reported it; an admin will look at it",
  moderator: "an admin hid it",
  organization_reports: "several members reported it; an admin of the organization will look at it",
  organization: "an admin of the organization hid it",
};

/** Returns what was done and to which listing, such as "“Title” was hidden". */
function headOf({ action, title }: Decision): string {
  if (action === "banned") return "Your account was banned";
  return `“${title ?? "A deleted listing"}” was ${action === "removed" ? "removed for good" : "hidden"}`;
}

function Entry({ decision, act }: { decision: Decision; act: Act }) {
  const { at, action, category, note, version, appeal, in_force } = decision;
  return (
    <article class="review" aria-label={headOf(decision)}>
      <h3 dir="auto">{headOf(decision)}</h3>
      <p class="quiet">
        <time dateTime={at}>{time(at)}</time>
        {version !== null && ` · version ${version}`}
        {action === "hidden" && category !== null && ` · ${WHY[category] ?? category.replaceAll("_", " ")}`}
        {!in_force && " · no longer in force"}
      </p>
      <p dir="auto">{note ?? <span class="quiet">The admins left no note.</span>}</p>
      {appeal ? (
        <>
          <p dir="auto">
            <strong>Your appeal</strong> <time dateTime={appeal.created_at}>{time(appeal.created_at)}</time>:{" "}
            {appeal.body}
          </p>
          <p dir="auto">
            <strong>{ANSWERED[appeal.state]}</strong>
            {appeal.answer && <>: {appeal.answer}</>}
          </p>
        </>
      ) : (
        in_force && <AppealForm decision={decision} act={act} />
      )}
    </article>
  );
}

const ANSWERED = {
  open: "Not answered yet",
  accepted: "Accepted",
  rejected: "Rejected",
} as const;

function AppealForm({ decision, act }: { decision: Decision; act: Act }) {
  const [body, setBody] = useState("");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void act("The admins will read your appeal.", (hub) =>
      hub.appeal(decision.action === "banned" ? null : decision.asset_id, body),
    );
  };
  return (
    <form class="stack" onSubmit={submit}>
      <label class="field">
        <span>Your appeal: why is this wrong, or what have you changed? You can appeal once.</span>
        <textarea
          value={body}
          required
          maxLength={2000}
          rows={3}
          dir="auto"
          onInput={({ currentTarget }) => setBody(currentTarget.value)}
        />
      </label>
      <p>
        <button type="submit">Appeal</button>
      </p>
    </form>
  );
}
