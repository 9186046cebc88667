import * as z from "zod/mini";
import type { Operation } from "../operation.ts";

/** The gateway passes requests on to providers, so the document describes only its problems, not its requests and answers. */
export const operations: readonly Operation[] = [
  {
    path: "/keyhub-gateway/{provider}/{path}",
    operationId: "callProvider",
    tag: "gateway",
    summary: "Call a provider",
    description:
      "Sends the request to the provider with a leased key, and with another when that one is refused. SDKs take `/keyhub-gateway/{provider}` and what follows it as their base URL. The agent token stands where the SDK puts its key: `Authorization`, `x-api-key`, `x-goog-api-key`, `api-key`, `xi-api-key` or `?key=`. An answer with `X-Keyhub-Attempts` is the provider's own, whatever its status is; one without it is a problem.",
    callers: ["agentToken"],
    passesOn: true,
    parameters: {
      provider: {
        description:
          "The provider's name, as the keys have it. The operator's setting lists the providers that requests are forwarded to.",
        schema: { type: "string", pattern: "^[A-Za-z0-9._-]+$", example: "openai" },
      },
      path: {
        description:
          "The provider's own path, of any number of parts. It is forwarded unchanged, with the query.",
        schema: { type: "string", example: "v1/chat/completions" },
      },
    },
    body: {
      contract: z.unknown(),
      required: false,
      example: { model: "gpt-5", messages: [{ role: "user", content: "Hello" }] },
    },
    answers: {},
    codes: [
      "missing_credential",
      "invalid_credential",
      "not_found",
      "upstream_not_configured",
      "unknown_provider",
      "method_not_allowed",
      "body_too_large",
      "internal_error",
      "upstream_unreachable",
      "upstream_refused",
      "unusable_key",
      "unavailable",
      "keys_cooling_down",
      "no_active_key",
      "upstream_timeout",
    ],
  },
];
