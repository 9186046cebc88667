import type { StoredAsset } from "@keyhub/core/hub";
import { hubServer, type McpHub, parseMcpMessage } from "@keyhub/core/mcp";
import { problem } from "@keyhub/core/problem";
// Deno does not find the types by the name of the module, which ends in .js.
// @ts-types="@modelcontextprotocol/sdk/server/webStandardStreamableHttp"
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { endpoint, type Refusal, type Reply } from "../_shared/http.ts";
import type { HubDatabase } from "../_shared/hub-database.ts";
import { identifyGuestOrUser, type User } from "../_shared/user.ts";

export interface Dependencies {
  database: HubDatabase;
  /** Sends a request to hub-import. The path is only the part after the function's name. */
  importAsset: (path: string, init: RequestInit) => Promise<Response>;
  /** The address of the pages, without a path; null when it is not configured. */
  origin: string | null;
}

/**
 * POST hub-mcp: offers the hub to agents by MCP (streamable HTTP without sessions). Each request is answered on its own. Reads have the
 * rights of a guest; only an import uses the request's access token, if there is one.
 */
export function hubMcp({
  database,
  importAsset,
  origin,
}: Dependencies): (request: Request) => Promise<Response> {
  const options = {
    name: "hub-mcp",
    maxBytes: 65_536,
    identify: (request: Request) => identifyGuestOrUser(request, database),
  };
  return endpoint(options, async ({ request, caller, body }): Promise<Reply> => {
    const parsed = parseMcpMessage(body);
    if (!parsed.ok) return { problem: problem("validation_failed", { errors: parsed.faults }) };
    const trouble: Trouble = { refusals: [], faults: [] };
    const hub = hubOf({ database, importAsset, origin }, caller, trouble);
    const server = hubServer(hub);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    // The cast is needed because the transport's type has optional members that may not be undefined under our compiler settings.
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    try {
      const answer = await transport.handleRequest(asked(request), { parsedBody: parsed.value });
      if (trouble.faults.length > 0) throw trouble.faults[0];
      // A refusal about the credential (401) or the service (5xx) is answered as in every other function. Any other refusal reaches the
      // agent as the result of its tool.
      const refused = trouble.refusals.find(({ problem: { status } }) => status === 401 || status >= 500);
      if (refused) return refused;
      if (answer.status >= 400) return { problem: problem("validation_failed", { errors: [UNREADABLE] }) };
      const text = await answer.text();
      return { status: answer.status, body: text === "" ? null : JSON.parse(text) };
    } finally {
      await server.close();
    }
  });
}

const UNREADABLE = { path: "", code: "invalid_message", message: "is not a message of the protocol" };

/**
 * Returns the request with the Accept header that the transport demands. The transport would refuse a client that does not accept a stream,
 * although this function never sends one.
 */
function asked(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.set("accept", "application/json, text/event-stream");
  return new Request(request.url, { method: "POST", headers });
}

function hubOf(
  { database, importAsset, origin }: Dependencies,
  caller: User | null,
  trouble: Trouble,
): McpHub {
  const token = caller?.token ?? null;
  const read = async (name: string, args: Record<string, unknown>): Promise<unknown> => {
    const given = Object.fromEntries(
      Object.entries(args).filter(([, value]) => value !== undefined && value !== null),
    );
    // Reads as a guest, so that a model is never given a listing that only its creator or the members of an organization may see.
    const found = await database.callRpcAs(null, name, given).catch((error: unknown) => {
      trouble.faults.push(error);
      throw new Error("The hub did not answer.");
    });
    if (!("problem" in found)) return found.data;
    trouble.refusals.push(found);
    throw new Error(said(found.problem));
  };
  return {
    origin,
    mark: crypto.randomUUID(),
    search: async (request) =>
      (await read("hub_search", { ...request })) as Awaited<ReturnType<McpHub["search"]>>,
    asset: async (idOrSlug, version) =>
      (await read("hub_asset", { id_or_slug: idOrSlug, version })) as StoredAsset & { deleted: boolean },
    importAsset: async (idOrSlug, body) => {
      await read("hub_asset", { id_or_slug: idOrSlug });
      const response = await importAsset(`/${encodeURIComponent(idOrSlug)}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) },
        body: JSON.stringify(body),
      });
      const answer: unknown = await response.json();
      if (!response.ok) throw new Error(said(answer as Said));
      return answer as object;
    },
  };
}

/** The refusals and errors that occurred in the tools while one message was answered. */
interface Trouble {
  refusals: Refusal[];
  faults: unknown[];
}

interface Said {
  title: string;
  detail?: string | undefined;
  errors?: readonly { path: string; message: string }[] | undefined;
}

/** Returns a refusal as one line for the agent. */
function said({ title, detail, errors = [] }: Said): string {
  const faults = errors.slice(0, 5).map(({ path, message }) => `${path} ${message}`);
  return [title, detail, ...faults].filter(Boolean).join(": ");
}
