import type { Seen } from "./agents.ts";
import type { Fixture } from "./fixture.ts";

/** Compares the answers that callers got with the database. Returns a line for each broken rule. */
export async function audit(fixture: Fixture, seen: Seen): Promise<string[]> {
  return [
    ...(await leasesAreLogged(fixture, seen)),
    ...(await reportsAreLogged(fixture, seen)),
    ...(await countsAreExact(fixture)),
    ...(await noKeyAgainstItsState(fixture)),
    ...(await nothingIsTorn(fixture)),
  ];
}

/** Checks that every answered lease is in the log with the same values. */
async function leasesAreLogged({ sql, userId }: Fixture, seen: Seen): Promise<string[]> {
  const rows = await sql`
    select id, user_api_key_id as key_id, issued_at from public.api_key_usage_log where user_id = ${userId}`;
  const stored = new Map(rows.map((row) => [row.id, row]));
  return seen.leases.flatMap(({ lease_id, key_id, leased_at }) => {
    const row = stored.get(lease_id);
    if (row?.key_id === key_id && row.issued_at.getTime() === new Date(leased_at).getTime()) return [];
    return [`lease ${lease_id} was answered and is not in the log like that`];
  });
}

/** Checks that every answered report is in the log with the same effect. */
async function reportsAreLogged({ sql, userId }: Fixture, seen: Seen): Promise<string[]> {
  const rows = await sql`
    select id, user_api_key_id as key_id, outcome, effect, state_after as state, consecutive_failures, blocked_until
    from public.api_key_usage_log where user_id = ${userId} and reported_at is not null`;
  const stored = new Map(rows.map((row) => [row.id, row]));
  return seen.reports.flatMap((report) => {
    const row = stored.get(report.lease_id);
    const kept =
      row?.key_id === report.key_id &&
      row.outcome === report.outcome &&
      // If the answer to a report was lost, the agent sends the report again and gets `duplicate`. The log has the effect of the first
      // report.
      (row.effect === report.effect || report.effect === "duplicate") &&
      row.state === report.state &&
      row.consecutive_failures === report.consecutive_failures &&
      (row.blocked_until?.getTime() ?? null) ===
        (report.blocked_until === null ? null : Date.parse(report.blocked_until));
    return kept
      ? []
      : [`report on ${report.lease_id} was answered ${JSON.stringify(report)}, log: ${JSON.stringify(row)}`];
  });
}

async function countsAreExact({ sql, userId }: Fixture): Promise<string[]> {
  const wrong = await sql`
    select k.key_name, k.usage_count - k.skipped_count as usage_count, count(l.issued_at) as logged
    from public.user_api_keys k left join public.api_key_usage_log l on l.user_api_key_id = k.id
    where k.user_id = ${userId}
    group by k.id having k.usage_count - k.skipped_count <> count(l.issued_at)`;
  return wrong.map(
    ({ key_name, usage_count, logged }) => `${key_name} counts ${usage_count}, its log ${logged}`,
  );
}

/** Checks that no lease was issued during a reported cooldown, or after the report that disabled the key. */
async function noKeyAgainstItsState({ sql, userId }: Fixture): Promise<string[]> {
  const wrong = await sql`
    select l.id, r.effect
    from public.api_key_usage_log r
    join public.api_key_usage_log l on l.user_api_key_id = r.user_api_key_id and l.issued_at > r.reported_at
    where r.user_id = ${userId}
      and ((r.effect = 'cooled' and l.issued_at < r.blocked_until) or r.effect = 'disabled')`;
  return wrong.map(({ id, effect }) => `lease ${id} was leased though its key was ${effect}`);
}

/** Checks that the cooldown on the key row, the health row and the log agree. */
async function nothingIsTorn({ sql, userId }: Fixture): Promise<string[]> {
  const torn = await sql`
    select k.key_name
    from public.user_api_keys k join public.api_key_health h on h.user_api_key_id = k.id
    left join public.api_key_usage_log l on l.id = h.reason_log_id
    where k.user_id = ${userId}
      and (
        (k.cooling_until is distinct from h.blocked_until and not (k.cooling_until is null and h.blocked_until <= now()))
        or (h.reason_log_id is not null and l.id is null)
        or (not k.is_active and l.effect is distinct from 'disabled')
      )`;
  return torn.map(({ key_name }) => `${key_name}: key, health and log do not agree`);
}
