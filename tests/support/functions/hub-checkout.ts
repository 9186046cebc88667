import { stripeProvider } from "../../../supabase/functions/_shared/payments/stripe.ts";
import { hubCheckout } from "../../../supabase/functions/hub-checkout/handler.ts";
import type { TestedFunction } from "../tested-functions.ts";

/** A payment provider that cannot be reached. */
export const unreachable = () =>
  stripeProvider({
    ...{ name: "loopback", secretKey: "sk_test_none", webhookSecrets: ["whsec_none"] },
    ...{ site: "http://127.0.0.1", api: new URL("http://127.0.0.1:1") },
  });

export const tested: TestedFunction = {
  handler: ({ database, payments = unreachable }) => hubCheckout({ database, provider: payments }),
  deployed: {
    valid: { listing: "strict-json" },
    far: { body: {}, headers: { authorization: "Bearer a.b.c" }, status: 401, code: "invalid_credential" },
    foreign: /\/core\/src\/(?:keys|scan)\//,
  },
};
