import { setTimeout as sleep } from "node:timers/promises";
import type { DemoRun } from "./run.ts";

/** The pause between two false reports, in milliseconds. */
const PAUSE_MS = 200;

/**
 * Runs an agent that falsely reports, for some seconds, that each key it gets is limited for ten minutes. Then the operator undoes these
 * reports.
 */
export async function lieFor(seconds: number, { settings, sql, pool, record, end }: DemoRun): Promise<void> {
  const since = new Date();
  const post = async (name: string, body: object) => {
    const response = await fetch(`${settings.url}/functions/v1/${name}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${pool.liar.token}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    return (await response.json()) as { lease_id?: string };
  };
  for (const until = record.seconds() + seconds; record.seconds() < until && !end.signal.aborted; ) {
    const { lease_id } = await post("get-active-key", { model: "flash" }).catch(() => ({
      lease_id: undefined,
    }));
    const lie = { lease_id, status: "fail", error_code: 429, retry_after: 600 };
    if (lease_id) await post("set-key-state", lie).catch(() => {});
    await sleep(PAUSE_MS);
  }
  // Undoing the reports may end blocks early, so the checker and the audit ignore earlier blocks after this moment.
  record.checker.forget();
  const undone = await sql<{ at: Date }[]>`
    with undone as materialized (select * from public.undo_reports(${pool.userId}, ${pool.liar.id}, ${since}))
    select clock_timestamp() as at from undone`;
  record.undoneAt = undone[0]?.at ?? null;
  record.note(`the operator undoes the reports of the lying agent: ${undone.length} blocks`);
}
