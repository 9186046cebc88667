import { useState } from "preact/hooks";
import { say } from "../../browser/message.ts";
import { showFailure } from "../../browser/show-failure.ts";
import type { OwnAgent, PoolCalls } from "./pool.ts";
import { localTime } from "./words.ts";

interface Props {
  agents: OwnAgent[];
  pool: PoolCalls;
  onChange: () => Promise<void>;
}

/** Shows the agents that may lease the caller's keys. A token is shown only once. */
export function Agents({ agents, pool, onChange }: Props) {
  const [token, setToken] = useState("");

  async function issue(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    try {
      const issued = await pool.issue(String(new FormData(form).get("name")));
      setToken(issued.token);
      form.reset();
    } catch (error) {
      await showFailure(error);
    }
    await onChange();
  }

  async function revoke({ id, name }: OwnAgent): Promise<void> {
    if (!confirm(`Revoke the token of “${name}”? The agent will get no more keys.`)) return;
    try {
      await pool.revoke(id);
      say("Revoked.");
    } catch (error) {
      await showFailure(error);
    }
    await onChange();
  }

  const copy = async () => {
    await navigator.clipboard.writeText(token);
    say("Copied.");
  };

  return (
    <section aria-labelledby="agents">
      <h2 id="agents">Agents</h2>
      {token && (
        <div class="warning" role="alert">
          <p>This token is shown only now. Give it to the agent; whoever has it gets your keys.</p>
          <p class="row">
            <code class="token">{token}</code>
            <button type="button" onClick={() => void copy()}>
              Copy
            </button>
            <button type="button" onClick={() => setToken("")}>
              Hide
            </button>
          </p>
        </div>
      )}
      <ul class="shelf">
        {agents.map((agent) => (
          <li key={agent.id}>
            <span>
              <bdi>{agent.name}</bdi>
              <br />
              <span class="quiet">
                {agent.revoked_at
                  ? `revoked ${localTime(agent.revoked_at)}`
                  : agent.last_used_at
                    ? `last used ${localTime(agent.last_used_at)}`
                    : "not used yet"}
              </span>
            </span>
            {!agent.revoked_at && (
              <button type="button" aria-label={`Revoke ${agent.name}`} onClick={() => void revoke(agent)}>
                Revoke
              </button>
            )}
          </li>
        ))}
        {agents.length === 0 && <li class="quiet">None yet.</li>}
      </ul>
      <form class="row" onSubmit={issue}>
        <label class="field">
          <span>Name of a new agent</span>
          <input name="name" required maxLength={100} dir="auto" />
        </label>
        <button type="submit">Issue a token</button>
      </form>
    </section>
  );
}
