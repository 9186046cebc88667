import type postgres from "postgres";
import type { Seen, Told } from "./races.ts";

interface Row {
  id: string;
  key: string;
  generation: number;
  outcome: string;
  effect: string;
  failures: number;
  issued: number;
  until: number | null;
}

/**
 * Checks the rules about reports, and counts for each rule the reports that tested it. A rule about a report after another call or edit is
 * checked only if the two did not overlap in time, because otherwise their order in the database is not known.
 */
export async function violatedInvariants(
  sql: postgres.Sql,
  seen: Seen,
): Promise<{ broken: string[]; checks: Record<string, number> }> {
  const rows = await sql<Row[]>`
    select id, user_api_key_id as key, key_generation as generation, outcome, effect, consecutive_failures as failures,
      extract(epoch from issued_at)::float8 as issued, extract(epoch from blocked_until)::float8 as until
    from api_key_usage_log where outcome is not null order by reported_at`;
  const found = [
    inTheLog(rows, seen),
    afterAFailure(seen),
    afterAnEdit(seen),
    whileOff(seen),
    replayed(rows),
  ];
  return {
    broken: found.flatMap(({ broken }) => broken),
    checks: Object.fromEntries(found.map(({ name, count }) => [name, count])),
  };
}

interface Found {
  name: string;
  count: number;
  broken: string[];
}

/** Checks that the log has for each lease the effect that its report was answered, and that further reports were duplicates. */
function inTheLog(rows: Row[], { told }: Seen): Found {
  const effects = new Map(rows.map(({ id, effect }) => [id, effect]));
  const first = told.filter(({ effect }) => effect !== "duplicate");
  const broken = first
    .filter(({ leaseId, effect }) => effects.get(leaseId) !== effect)
    .map(({ leaseId, effect }) => `${leaseId} was told ${effect}, the log says ${effects.get(leaseId)}`);
  if (new Set(first.map(({ leaseId }) => leaseId)).size !== first.length)
    broken.push("a lease was reported twice with an effect");
  return { name: "in the log", count: first.length, broken };
}

/** Checks that a success is stale if it is sent after the answer to a failure of its key, on a lease from before this failure. */
function afterAFailure({ told }: Seen): Found {
  const blocks = told.filter(({ effect }) => effect === "cooled").toSorted((a, b) => a.answered - b.answered);
  const checked = told.filter(
    (each) =>
      each.status === "success" &&
      each.effect !== "duplicate" &&
      blocks.some(
        (block) => block.keyId === each.keyId && block.answered < each.called && each.leased < block.called,
      ),
  );
  return wrong("after a failure", checked, ({ effect }) => effect === "stale");
}

/** Checks that a report is stale if it is sent after the answer to an edit of its key, on a lease from before this edit. */
function afterAnEdit({ told, edits }: Seen): Found {
  const checked = told.filter(
    (each) =>
      each.effect !== "duplicate" &&
      edits.some(
        (edit) => edit.keyId === each.keyId && edit.answered < each.called && each.leased < edit.called,
      ),
  );
  return wrong("after an edit", checked, ({ effect }) => effect === "stale");
}

/** Checks the reports that were sent and answered while their key was disabled: each answer must have the state `disabled`. */
function whileOff({ told, off }: Seen): Found {
  const checked = told.filter(
    (each) =>
      each.effect !== "duplicate" &&
      off.some(({ keyId, from, to }) => keyId === each.keyId && from < each.called && each.answered < to),
  );
  return wrong("while off", checked, ({ state }) => state === "disabled");
}

function wrong(name: string, checked: Told[], isRight: (told: Told) => boolean): Found {
  const broken = checked
    .filter((told) => !isRight(told))
    .map((told) => `${name}: ${told.leaseId} was told ${told.effect}, ${told.state}`);
  return { name, count: checked.length, broken };
}

/** Counts the failures in a row of each key and generation again, from the log in its order. */
function replayed(rows: Row[]): Found {
  const groups = new Map<string, { failures: number; rateUntil: number }>();
  const broken: string[] = [];
  let count = 0;
  for (const row of rows) {
    // A stale report changes no count of failures.
    if (row.effect === "stale") continue;
    const name = `${row.key} ${row.generation}`;
    const group = groups.get(name) ?? { failures: 0, rateUntil: Number.NEGATIVE_INFINITY };
    groups.set(name, group);
    if (row.effect === "recovered") group.failures = 0;
    else if (row.effect === "cooled" && row.outcome === "rate_limited") {
      if (row.issued >= group.rateUntil) group.failures += 1;
      group.rateUntil = row.until ?? group.rateUntil;
      count += 1;
      if (row.failures !== group.failures)
        broken.push(`${name}: ${row.id} counts ${row.failures} failures in a row, not ${group.failures}`);
    }
  }
  return { name: "replayed", count, broken };
}
