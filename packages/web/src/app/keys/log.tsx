import { useEffect, useState } from "preact/hooks";
import { FailureNote } from "../failure-note.tsx";
import { type ShownFailure, shownFailureOf } from "../failure-text.ts";
import type { LogFilter, LogRow, OwnAgent, OwnKey, PoolCalls } from "./pool.ts";
import { localTime, words } from "./words.ts";

const OUTCOMES = [
  "open",
  "success",
  "rate_limited",
  "quota_exhausted",
  "invalid_key",
  "refused",
  "server_error",
  "unreachable",
  "intermediary",
  "caller_fault",
  "unknown",
];

interface Props {
  pool: PoolCalls;
  /** Changes when the log may have new rows. */
  turn: number;
  keys: OwnKey[];
  agents: OwnAgent[];
  userId: string;
}

/** Shows the newest hundred leases that match the filter, with their reports. */
export function Log({ pool, turn, keys, agents, userId }: Props) {
  const [filter, setFilter] = useState<LogFilter>({});
  const [rows, setRows] = useState<LogRow[] | null>(null);
  const [failure, setFailure] = useState<ShownFailure | null>(null);

  useEffect(() => {
    let isOld = false;
    // The effect depends on `turn` only to run again: it does not need the value.
    void turn;
    pool.log(filter).then(
      (found) => {
        if (isOld) return;
        setRows(found);
        setFailure(null);
      },
      async (error: unknown) => setFailure(await shownFailureOf(error)),
    );
    return () => {
      isOld = true;
    };
  }, [pool, filter, turn]);

  const set = (name: keyof LogFilter, value: string) =>
    setFilter(({ [name]: _, ...others }) => (value === "" ? others : { ...others, [name]: value }));
  const keyName = (id: string) => keys.find((key) => key.id === id)?.name ?? "a deleted key";
  const agentName = (id: string | null) =>
    id === null ? "you" : (agents.find((agent) => agent.id === id)?.name ?? "an agent");

  return (
    <section aria-labelledby="log">
      <h2 id="log">Last leases and reports</h2>
      <form class="row" onSubmit={(event) => event.preventDefault()}>
        <label class="field">
          <span>Key</span>
          <select onChange={({ currentTarget }) => set("key_id", currentTarget.value)}>
            <option value="">all</option>
            {keys.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>Agent</span>
          <select onChange={({ currentTarget }) => set("agent_id", currentTarget.value)}>
            <option value="">all</option>
            <option value={userId}>you</option>
            {agents.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>Outcome</span>
          <select onChange={({ currentTarget }) => set("outcome", currentTarget.value)}>
            <option value="">all</option>
            {OUTCOMES.map((outcome) => (
              <option key={outcome} value={outcome}>
                {outcome === "open" ? "not reported yet" : words(outcome)}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>Before</span>
          <input
            type="datetime-local"
            onChange={({ currentTarget: { value } }) =>
              set("before", value === "" ? "" : new Date(value).toISOString())
            }
          />
        </label>
      </form>
      <FailureNote failure={failure} onRetry={async () => setFilter({ ...filter })} />
      {rows?.length === 0 && <p class="quiet">None.</p>}
      {rows !== null && rows.length > 0 && (
        <section class="scroll" tabIndex={0} aria-label="Table of leases and reports">
          <table class="keys wide-table">
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">Key</th>
                <th scope="col">Agent</th>
                <th scope="col">Model</th>
                <th scope="col">Outcome</th>
                <th scope="col">Effect</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.id}>
                  <td>{localTime(row.at)}</td>
                  <td dir="auto">{keyName(row.key_id)}</td>
                  <td dir="auto">{agentName(row.agent_id)}</td>
                  <td dir="auto">{row.model ?? "–"}</td>
                  <td>
                    {row.outcome === null ? "not reported yet" : words(row.outcome)} {row.error_code}
                  </td>
                  <td>{row.effect ?? "–"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </section>
  );
}
