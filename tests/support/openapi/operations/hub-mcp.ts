import * as z from "zod/mini";
import { mcpAnswer, mcpMessage } from "../../../../packages/core/src/hub/mcp/message.ts";
import { describe, describeMembers } from "../describe.ts";
import type { Operation } from "../operation.ts";

const NOTHING = z.null();

describe(mcpMessage, "One JSON-RPC message of the Model Context Protocol.");
describeMembers(mcpMessage, { id: "A message without one gets no answer." });
describe(mcpAnswer, "The answer to a message: `result`, or `error`.");

export const schemas = { McpRequest: mcpMessage, McpAnswer: mcpAnswer };

export const operations: readonly Operation[] = [
  {
    path: "/hub-mcp",
    operationId: "mcp",
    tag: "hub",
    summary: "Serve the hub to an agent",
    description:
      "Model Context Protocol, streamable HTTP without sessions. Tools: `search_assets`, `get_asset`, `import_asset` (a dry run unless `confirm` is true).",
    callers: ["guest", "accessToken"],
    body: {
      contract: mcpMessage,
      required: true,
      example: {
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: { name: "search_assets", arguments: { query: "minutes of a meeting" } },
      },
    },
    answers: {
      200: { description: "The answer.", contract: mcpAnswer },
      202: { description: "A notification was accepted.", contract: NOTHING },
    },
    codes: [],
  },
];
