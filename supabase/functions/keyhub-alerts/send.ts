import { type Alert, messageOf } from "@keyhub/core/alerts";
import { isLoopback, isPrivateHost } from "@keyhub/core/upstream";
import { Webhook } from "standardwebhooks";
import type { AlertSettings } from "./settings.ts";

export interface Sender {
  fetch: typeof fetch;
  /** Returns the addresses of a host. */
  resolve: (host: string) => Promise<string[]>;
  allowLoopback: boolean;
  sleep: (ms: number) => Promise<void>;
}

/** The longest time that a receiver may take to answer, and the pauses before the first, second and third try, in milliseconds. */
const TIMEOUT_MS = 5_000;
const PAUSES_MS = [0, 500, 2_000];

/**
 * Sends one alert in at most three tries. Returns whether the receiver accepted the alert, and if not, why. The body of the answer is not
 * read, because it may be endless.
 */
export async function send(
  alert: Alert,
  { url, secret }: AlertSettings,
  { fetch, resolve, allowLoopback, sleep }: Sender,
): Promise<{ taken: boolean; why: string }> {
  const body = JSON.stringify(messageOf(alert));
  let why = "";
  for (const pause of PAUSES_MS) {
    if (pause > 0) await sleep(pause);
    if (!(allowLoopback && isLoopback(url.hostname)) && (await resolve(url.hostname)).some(isPrivateHost))
      return { taken: false, why: "the host resolves to a private address" };
    const at = new Date();
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          // The id is the same for each try, so that a receiver can recognize a repetition.
          "webhook-id": alert.id,
          "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
          "webhook-signature": new Webhook(secret).sign(alert.id, at, body),
        },
        body,
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.body?.cancel();
      if (response.ok) return { taken: true, why: "" };
      why = `status ${response.status || "of a redirect"}`;
      // After such a status, the receiver would also refuse the next try.
      if (response.status >= 300 && response.status < 500 && ![408, 425, 429].includes(response.status))
        break;
      if (response.type === "opaqueredirect") break;
    } catch (error) {
      why = (error as Error).name === "TimeoutError" ? "no answer in time" : "no connection";
    }
  }
  return { taken: false, why };
}
