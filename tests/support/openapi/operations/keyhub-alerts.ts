import { alertsAnswer, alertsRequest } from "../../../../packages/core/src/keys/alerts.ts";
import { describe } from "../describe.ts";
import type { Operation } from "../operation.ts";

describe(alertsRequest, "Nothing.");
describe(
  alertsAnswer,
  "How many alerts were sent, and how many are left to send: the receiver did not take them, or there was no time to try.",
);

export const schemas = { AlertsRequest: alertsRequest, Alerts: alertsAnswer };

export const operations: readonly Operation[] = [
  {
    path: "/keyhub-alerts",
    operationId: "alerts",
    tag: "keys",
    summary: "Send alerts",
    description:
      "Sends the alerts that were not sent yet to KEYHUB_ALERT_URL, signed as Standard Webhooks. For a scheduler, each minute.",
    callers: ["secretKey"],
    body: { contract: alertsRequest, required: false, example: {} },
    answers: { 200: { description: "The numbers of sent and failed alerts.", contract: alertsAnswer } },
    codes: ["missing_credential"],
  },
];
