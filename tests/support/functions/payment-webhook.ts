import { paymentWebhook } from "../../../supabase/functions/payment-webhook/handler.ts";
import type { TestedFunction } from "../tested-functions.ts";
import { unreachable } from "./hub-checkout.ts";
import { SECRET } from "./keyhub-alerts.ts";

export const tested: TestedFunction = {
  handler: ({ database, payments = unreachable }) =>
    paymentWebhook({ database, provider: payments, secretKeys: () => [SECRET], now: () => new Date() }),
  deployed: {
    valid: {},
    refused: { apikey: "sb_secret_of_nobody" },
    far: {
      body: {},
      headers: { "stripe-signature": "t=1,v1=0" },
      status: 404,
      code: "payments_not_configured",
    },
    foreign: /\/core\/src\/(?:keys|scan|hub)\//,
  },
};
