import * as z from "zod/mini";
import { type Parsed, refused, strictFaultsOf } from "../faults.ts";

/** A row of api_key_alerts, as claim_api_key_alerts returns it. */
export interface Alert {
  id: string;
  user_id: string;
  provider: string | null;
  kind: "pool_starved" | "pool_recovered" | "key_disabled" | "key_unopenable" | "many_at_once";
  user_api_key_id: string | null;
  key_name: string | null;
  detail: Record<string, unknown>;
  /** ISO 8601. */
  created_at: string;
}

/**
 * The body of a webhook. It follows Standard Webhooks. `text`, which Slack shows, and `content`, which Discord shows, have the same words.
 */
export interface AlertMessage {
  type: Alert["kind"];
  timestamp: string;
  data: Omit<Alert, "kind" | "created_at">;
  text: string;
  content: string;
}

/** The body of a request to keyhub-alerts: an empty object. */
export const alertsRequest = z.strictObject({});

/** The answer of keyhub-alerts: whether alerts are configured, and how many of the alerts of this call were sent and not sent. */
export const alertsAnswer = z.strictObject({ configured: z.boolean(), sent: z.int(), failed: z.int() });

export function messageOf({ kind, created_at, ...data }: Alert): AlertMessage {
  const text = `Keyhub: ${sentenceOf({ kind, created_at, ...data })}`;
  return { type: kind, timestamp: created_at, data, text, content: text };
}

/**
 * Returns one or two sentences about what happened and what to do. Names are free text, so
 * `plain` removes characters that could mention people in Slack or Discord.
 */
function sentenceOf({ kind, user_id, provider, key_name, detail }: Alert): string {
  const pool = `pool ${user_id}`;
  const keys = `${provider === null ? "the keys" : `the ${plain(provider)} keys`} of ${pool}`;
  const key = `key "${plain(key_name ?? "")}"${provider === null ? "" : ` (${plain(provider)})`} of ${pool}`;
  const model = typeof detail.model === "string" ? ` for model ${plain(detail.model)}` : "";
  switch (kind) {
    case "pool_starved":
      return detail.soonest_at === null || detail.soonest_at === undefined
        ? `none of ${keys} can be leased${model}, and none comes back by itself. Add, enable or replace one.`
        : `none of ${keys} can be leased${model} since ${String(detail.since)}; the first is back at ${String(detail.soonest_at)}.`;
    case "pool_recovered":
      return `${keys} are leased${model} again, after ${String(detail.since)} to ${String(detail.ended_at)}.`;
    case "key_disabled":
      return `the provider says that ${key} is dead${detail.error_code ? ` (${plain(String(detail.error_code))})` : ""}; it is disabled.`;
    case "key_unopenable":
      return `the sealed text of ${key} cannot be opened. Seal the key again.`;
    case "many_at_once":
      return `many of ${keys} were reported dead at once, perhaps because of a network fault or one agent. Further keys are cooled, not disabled; check who reports them.`;
    default:
      throw new Error(`unknown kind of alert: ${String(kind satisfies never)}`);
  }
}

const plain = (text: string) => text.replace(/[^\p{L}\p{N} ._:/+-]/gu, "").slice(0, 100);

/** Reads the body of keyhub-alerts, which is missing or an empty object. */
export function parseAlertsRequest(body: unknown): Parsed<null> {
  const input = body === undefined ? {} : body;
  const parsed = z.safeParse(alertsRequest, input);
  if (!parsed.success) return refused(strictFaultsOf(parsed.error.issues, input));
  return { ok: true, value: null };
}
