import { type Bench, openBench } from "../../client/fixture.ts";
import type { Provider } from "../../client/provider.ts";
import type { GatewaySettings } from "../../support/functions/keyhub-gateway.ts";
import { pair } from "../../support/keys.ts";
import { inProcess } from "../../support/service.ts";

export const GATEWAY = "/functions/v1/keyhub-gateway";

/** Opens the gateway in this process, with a provider on loopback; `settings` gets the provider's origin. */
export function openGateway(settings: (provider: Provider) => GatewaySettings = () => ({})) {
  const desk = openBench((db, provider) => {
    const { origin } = provider;
    const upstreams = { openai: origin, anthropic: origin, gemini: origin };
    return inProcess(db, [pair.unsealKey], { upstreams, ...settings(provider) });
  });
  /** Calls like an SDK: the token is in the place of the provider's key. */
  async function call(
    bench: Pick<Bench, "token">,
    path = "/openai/v1/chat/completions",
    init: RequestInit = {},
  ) {
    const response = await desk.service.fetch(`${GATEWAY}${path}`, {
      method: "POST",
      body: "{}",
      ...init,
      headers: {
        authorization: `Bearer ${bench.token}`,
        "content-type": "application/json",
        ...init.headers,
      },
    });
    return { response, status: response.status, headers: response.headers, text: await said(response) };
  }
  /** Keeps every part of an answer that a caller sees. After all tests, the kept texts are searched for keys. */
  async function said(response: Response): Promise<string> {
    const text = await response.text();
    desk.said.push(text, JSON.stringify([...response.headers]), response.statusText);
    return text;
  }
  return { desk, call };
}
