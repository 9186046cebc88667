import { randomBytes } from "node:crypto";
import { type PaymentServer, startPayments } from "./server.ts";

export type LoopbackPayments = PaymentServer & { secret: string };

/** Starts the payment provider of a local stack; its events go to the stack's own webhook. */
export async function startLoopbackPayments(
  url: string,
  onLog: (line: string) => void,
): Promise<LoopbackPayments> {
  const secret = `whsec_${randomBytes(24).toString("base64url")}`;
  const webhook = () => `${url}/functions/v1/payment-webhook`;
  return { ...(await startPayments({ webhook, secret, onLog })), secret };
}
