import { isLoopback } from "@keyhub/core/upstream";
import type { Environment } from "../environment.ts";
import { SafeError } from "../log.ts";
import type { PaymentProvider } from "./provider.ts";
import { stripeProvider } from "./stripe.ts";

/** Returns the provider that the operator has set up; null when there is none. Throws a SafeError that names the faulty setting. */
export function readProvider(environment: Environment): PaymentProvider | null {
  const secretKey = environment("KEYHUB_STRIPE_KEY")?.trim() ?? "";
  if (secretKey === "") return null;
  const webhookSecrets = (environment("KEYHUB_STRIPE_WEBHOOK_SECRET") ?? "")
    .split(",")
    .map((secret) => secret.trim())
    .filter((secret) => secret !== "");
  if (webhookSecrets.length === 0 || webhookSecrets.some((secret) => !secret.startsWith("whsec_")))
    throw new SafeError(
      "KEYHUB_STRIPE_WEBHOOK_SECRET is not whsec_…, or several of them with commas between",
    );
  const address = environment("KEYHUB_STRIPE_API")?.trim() ?? "";
  const api = address === "" ? null : URL.parse(address);
  // This setting could send keys and payments to another server, so it may only name this machine.
  if (address !== "" && (api === null || !isLoopback(api.hostname)))
    throw new SafeError("KEYHUB_STRIPE_API is for a provider on loopback only");
  // In the local stack the pages have the same address as the API, because the gateway serves both.
  const pages = environment("KEYHUB_HUB_URL") || (api === null ? "" : environment("SUPABASE_URL"));
  const site = pages?.trim().replace(/\/+$/, "") ?? "";
  if (!/^https?:\/\/[^/]+$/.test(site)) throw new SafeError("KEYHUB_HUB_URL is not the address of the pages");
  return stripeProvider({ name: api === null ? "stripe" : "loopback", secretKey, webhookSecrets, site, api });
}
