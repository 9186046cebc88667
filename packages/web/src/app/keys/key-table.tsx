import { useEffect, useState } from "preact/hooks";
import { say } from "../../browser/message.ts";
import { showFailure } from "../../browser/show-failure.ts";
import type { OwnKey, PoolCalls } from "./pool.ts";
import { duration, localTime, STATES, words } from "./words.ts";

interface Props {
  keys: OwnKey[];
  pool: PoolCalls;
  onChange: () => Promise<void>;
}

/** Shows every key with its state, the reason, and the time when it can be leased again. */
export function KeyTable({ keys, pool, onChange }: Props) {
  const [passed, setPassed] = useState(0);
  useEffect(() => {
    setPassed(0);
    const timer = setInterval(() => setPassed((passed) => passed + 1), 1_000);
    return () => clearInterval(timer);
  }, [keys]);

  async function act(done: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      say(done);
    } catch (error) {
      await showFailure(error, () => void act(done, work));
    }
    await onChange();
  }

  if (keys.length === 0) return <p class="quiet">No key yet.</p>;
  return (
    <section class="scroll" tabIndex={0} aria-label="Table of my keys">
      <table class="keys">
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">State</th>
            <th scope="col">Used</th>
            <th scope="col">Last report</th>
            <th scope="col">
              <span class="hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <th scope="row">
                <bdi>{key.name}</bdi>
                <br />
                <span class="quiet">
                  <bdi>{key.provider ?? "any provider"}</bdi>
                  {key.hint && <> · …{key.hint}</>}
                  {key.account && (
                    <>
                      {" "}
                      · account <bdi>{key.account}</bdi>
                    </>
                  )}
                  {key.priority !== 0 && ` · priority ${key.priority}`}
                </span>
              </th>
              <td>
                <span class={`state ${key.state}`}>{STATES[key.state]}</span>
                {key.seconds_left !== null && ` ${duration(Math.max(0, key.seconds_left - passed))}`}
                {key.why && (
                  <>
                    <br />
                    <span class="quiet">{words(key.why)}</span>
                  </>
                )}
                {key.limited_models.length > 0 && (
                  <>
                    <br />
                    <span class="quiet">
                      rests for <bdi>{key.limited_models.join(", ")}</bdi>
                    </span>
                  </>
                )}
              </td>
              <td class="number">{key.usage_count}</td>
              <td>
                {key.last_outcome ? (
                  <>
                    {words(key.last_outcome)} {key.last_error_code}
                    <br />
                    <span class="quiet">{key.last_reported_at && localTime(key.last_reported_at)}</span>
                  </>
                ) : (
                  <span class="quiet">none</span>
                )}
              </td>
              <td>
                <span class="row">
                  {(key.state === "cooling_down" || key.limited_models.length > 0) && (
                    <button
                      type="button"
                      aria-label={`Reset ${key.name}`}
                      onClick={() => void act("It can be leased again.", () => pool.reset(key.id))}
                    >
                      Reset
                    </button>
                  )}
                  <button
                    type="button"
                    aria-label={`${key.state === "disabled" ? "Enable" : "Disable"} ${key.name}`}
                    onClick={() =>
                      void act(
                        key.state === "disabled" ? "Enabled." : "Disabled: no agent gets it any more.",
                        () => pool.setActive(key.id, key.state === "disabled"),
                      )
                    }
                  >
                    {key.state === "disabled" ? "Enable" : "Disable"}
                  </button>
                  <button
                    type="button"
                    aria-label={`Delete ${key.name}`}
                    onClick={() => {
                      if (confirm(`Delete the key “${key.name}”? It cannot be read back. Its log stays.`))
                        void act("Deleted.", () => pool.remove(key.id));
                    }}
                  >
                    Delete
                  </button>
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
