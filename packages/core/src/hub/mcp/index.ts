export { type McpMessage, mcpAnswer, mcpMessage, parseMcpMessage } from "./message.ts";
export { hubServer, type McpHub, type SearchArguments } from "./server.ts";
