import { keyhubAlerts } from "../../../supabase/functions/keyhub-alerts/handler.ts";
import type { Sender } from "../../../supabase/functions/keyhub-alerts/send.ts";
import { readAlertSettings } from "../../../supabase/functions/keyhub-alerts/settings.ts";
import type { TestedFunction } from "../tested-functions.ts";

/** The parts of keyhub-alerts that a test may replace. */
export interface AlertParts {
  env?: Record<string, string>;
  sender?: Partial<Sender>;
  secretKeys?: string[];
}

/** The secret key of the deployed functions in tests. */
export const SECRET = "sb_secret_none";

export const tested: TestedFunction = {
  handler: ({ database, alerts = {} }) =>
    keyhubAlerts({
      database,
      settings: () => readAlertSettings((name) => alerts.env?.[name], true),
      secretKeys: () => alerts.secretKeys ?? [SECRET],
      sender: {
        fetch,
        resolve: async () => [],
        allowLoopback: true,
        sleep: async () => {},
        ...alerts.sender,
      },
      now: () => performance.now(),
    }),
  deployed: {
    valid: {},
    far: { body: { more: 1 }, headers: { apikey: SECRET }, status: 422, code: "validation_failed" },
    foreign: /\/core\/src\/(?:hub|scan)\/|\/keys\/seal\.ts$/,
  },
};
