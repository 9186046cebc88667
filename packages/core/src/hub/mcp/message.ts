import * as z from "zod/mini";
import { type Parsed, refused, strictFaultsOf } from "../../faults.ts";

/** The body of hub-mcp: one message of JSON-RPC. */
export const mcpMessage = z.strictObject({
  jsonrpc: z.literal("2.0"),
  method: z.string().check(z.minLength(1), z.maxLength(100)),
  /** Absent in a notification. */
  id: z.optional(z.union([z.string().check(z.maxLength(100)), z.int()])),
  params: z.optional(z.record(z.string(), z.unknown())),
});

export type McpMessage = z.infer<typeof mcpMessage>;

/** The answer to a message that has an id. */
export const mcpAnswer = z.strictObject({
  jsonrpc: z.literal("2.0"),
  id: z.nullable(z.union([z.string(), z.int()])),
  result: z.optional(z.record(z.string(), z.unknown())),
  error: z.optional(z.record(z.string(), z.unknown())),
});

/** Reads the body of hub-mcp. Returns all faults. */
export function parseMcpMessage(body: unknown): Parsed<McpMessage> {
  const input = body === undefined ? {} : body;
  const parsed = z.safeParse(mcpMessage, input);
  return parsed.success
    ? { ok: true, value: parsed.data }
    : refused(strictFaultsOf(parsed.error.issues, input));
}
