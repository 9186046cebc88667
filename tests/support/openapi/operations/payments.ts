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
  "What is wanted: to buy a `listing`, by id or slug; to learn how the order `order_id` stands; to `open` or `refresh` a payout `account`; or, for admins, to `refund` an order.",
);
describe(checkoutAnswer, "How it goes on; what does not apply is null.");
describeMembers(checkoutAnswer, { url: "The page of the provider, where the caller goes on." });
describe(webhookAnswer, "What became of the event, or of those that were asked for.");

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
      "Begins an order and gives the page to pay on: the same one while it is open. What happens there comes by `payment-webhook`; asking with `order_id` asks the provider, when that is late.",
    callers: ["accessToken"],
    body: { contract: checkoutRequest, required: true, example: { listing: "strict-json" } },
    answers: { 200: { description: "How it goes on.", contract: checkoutAnswer } },
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
    summary: "Take an event of the payment provider",
    description:
      "The provider signs the body (`Stripe-Signature`). With the project's secret key instead, for a scheduler each hour: the provider is asked for what did not arrive, and about orders that stay open.",
    callers: ["guest", "secretKey"],
    signed: true,
    body: { contract: providerEvent, required: false, example: {} },
    answers: {
      200: { description: "The event was taken; unknown kinds are, too.", contract: webhookAnswer },
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
