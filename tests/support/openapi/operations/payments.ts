import * as z from "zod/mini";
import {
  checkoutAnswer,
  checkoutRequest,
  webhookAnswer,
} from "../../../../packages/core/src/hub/checkout-request.ts";
import { describe, describeMembers } from "../describe.ts";
import type { Operation } from "../operation.ts";

describe(
  checkoutRequest,
  "The action: buy a `listing`, by id or slug; read the state of the order `order_id`; `open` or `refresh` a payout `account`; or, for admins, `refund` an order.",
);
describe(checkoutAnswer, "The result; members that do not apply are null.");
describeMembers(checkoutAnswer, { url: "The page of the provider on which the caller continues." });
describe(webhookAnswer, "The result of the event, or of the events that the provider was asked for.");

const providerEvent = z.record(z.string(), z.unknown());
describe(providerEvent, "An event of the payment provider.");

export const schemas = {
  CheckoutRequest: checkoutRequest,
  CheckoutAnswer: checkoutAnswer,
  PaymentEvent: providerEvent,
  WebhookAnswer: webhookAnswer,
};

export const operations: readonly Operation[] = [
  {
    path: "/hub-checkout",
    operationId: "checkout",
    tag: "hub",
    summary: "Buy a listing, open a payout account, refund an order",
    description:
      "Begins an order and returns the payment page: the same page while the order is open. `payment-webhook` receives what happens there; a call with `order_id` asks the provider, because its event may be late.",
    callers: ["accessToken"],
    body: { contract: checkoutRequest, required: true, example: { listing: "strict-json" } },
    answers: { 200: { description: "The result.", contract: checkoutAnswer } },
    codes: [
      "missing_credential",
      "account_required",
      "banned",
      "asset_not_found",
      "order_not_found",
      "payments_not_configured",
      "already_purchased",
      "not_for_sale",
      "not_refundable",
      "own_asset",
      "rate_limited",
    ],
  },
  {
    path: "/payment-webhook",
    operationId: "paymentWebhook",
    tag: "hub",
    summary: "Receive an event of the payment provider",
    description:
      "The provider signs the body (`Stripe-Signature`). A scheduler calls it each hour with the project's secret key instead: then it asks the provider for events that did not arrive, and about orders that stay open.",
    callers: ["guest", "secretKey"],
    signed: true,
    body: { contract: providerEvent, required: false, example: {} },
    answers: {
      200: { description: "The event was accepted, even if its kind is unknown.", contract: webhookAnswer },
    },
    codes: [
      "invalid_signature",
      "invalid_credential",
      "not_found",
      "payments_not_configured",
      "method_not_allowed",
      "body_too_large",
      "internal_error",
      "unavailable",
    ],
  },
];
