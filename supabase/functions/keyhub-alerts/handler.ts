import { type Alert, parseAlertsRequest } from "@keyhub/core/alerts";
import { problem } from "@keyhub/core/problem";
import type { Database } from "../_shared/database.ts";
import { endpoint, type Refusal } from "../_shared/http.ts";
import { identifyService } from "../_shared/service.ts";
import { type Sender, send } from "./send.ts";
import type { AlertSettings } from "./settings.ts";

export interface Dependencies {
  database: Database;
  /** Returns the settings; null when alerts are not configured, so that nothing is sent. */
  settings: () => AlertSettings | null;
  /** The project's secret keys. */
  secretKeys: () => string[];
  sender: Sender;
  /** Returns the milliseconds of a monotonic clock. */
  now: () => number;
}

/**
 * The largest number of alerts in one call, and the time in milliseconds after which the call begins no further alert. The next call,
 * within a minute, sends the others.
 */
const MOST = 50;
const TIME_MS = 30_000;

/** POST keyhub-alerts: sends the alerts that were not sent yet. A scheduler that has the project's secret key calls it each minute. */
export function keyhubAlerts(dependencies: Dependencies): (request: Request) => Promise<Response> {
  const { database, settings, secretKeys } = dependencies;
  const options = {
    name: "keyhub-alerts",
    maxBytes: 1024,
    identify: (request: Request) => identifyService(request, secretKeys()),
  };
  return endpoint(options, async ({ body, requestId }) => {
    const parsed = parseAlertsRequest(body);
    if (!parsed.ok) return { problem: problem("validation_failed", { errors: parsed.faults }) };
    const receiver = settings();
    const claimed = await database.callRpc("claim_api_key_alerts", { most: receiver === null ? 0 : MOST });
    if ("problem" in claimed) return claimed;
    if (receiver === null) return { status: 200, body: { configured: false, sent: 0, failed: 0 } };
    const { sent, failed, why } = await sendAll(claimed.data as Alert[], receiver, dependencies);
    if (failed.length > 0)
      console.error(`request ${requestId}: the receiver of alerts did not take ${failed.length}: ${why}`);
    const settled = await settle(database, sent, failed);
    return settled ?? { status: 200, body: { configured: true, sent: sent.length, failed: failed.length } };
  });
}

/** Sends alerts in order, oldest first. When the receiver does not accept an alert, it and all later alerts wait for the next call. */
async function sendAll(alerts: Alert[], receiver: AlertSettings, { sender, now }: Dependencies) {
  const end = now() + TIME_MS;
  const ordered = alerts.toSorted((a, b) => a.created_at.localeCompare(b.created_at));
  const sent: string[] = [];
  let why = "there was no time left";
  for (const alert of ordered) {
    if (now() > end) break;
    const result = await send(alert, receiver, sender);
    if (!result.taken) {
      why = result.why;
      break;
    }
    sent.push(alert.id);
  }
  return { sent, failed: ordered.slice(sent.length).map(({ id }) => id), why };
}

async function settle(database: Database, sent: string[], failed: string[]): Promise<Refusal | null> {
  if (sent.length + failed.length === 0) return null;
  const settled = await database.callRpc("settle_api_key_alerts", { sent, failed });
  return "problem" in settled ? settled : null;
}
