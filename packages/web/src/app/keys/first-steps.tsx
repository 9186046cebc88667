import { setting } from "../session.ts";

/** Shows the first steps of a new owner, with the addresses of this project filled in. */
export function FirstSteps() {
  const api = setting("api");
  return (
    <section class="note" aria-labelledby="first-steps">
      <h2 id="first-steps">Three steps to the first call</h2>
      <ol>
        <li>
          <strong>Add a key</strong> of a provider below, better two: when one is limited, calls go on with
          the other.
        </li>
        <li>
          <strong>Issue a token</strong> for an agent. The agent never sees more than the key it works with.
        </li>
        <li>
          <strong>Change one line</strong> of the agent. Any SDK with a base URL rotates through the gateway:
          <pre class="scroll" tabIndex={0}>
            {`new OpenAI({ apiKey: "<agent token>", baseURL: "${api}/functions/v1/keyhub-gateway/openai/v1" })`}
          </pre>
          or ask for a key yourself:
          <pre class="scroll" tabIndex={0}>
            {`curl -s -X POST "${api}/functions/v1/get-active-key" -H "Authorization: Bearer <agent token>"`}
          </pre>
        </li>
      </ol>
    </section>
  );
}
