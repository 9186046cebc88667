import { hubServer } from "@keyhub/core/mcp";
import { HubError } from "@keyhub/hub/source";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { HubSession } from "./session.ts";

/** Serves MCP on standard input and output until standard input ends. */
export async function serveMcp({ hub, origin }: HubSession): Promise<void> {
  const server = hubServer({
    origin,
    mark: crypto.randomUUID(),
    search: (request) => shown(() => hub.search(request as never)),
    asset: (slug, version) => shown(() => hub.asset(slug, version === null ? {} : { version }) as never),
    importAsset: (slug, body) => shown(() => hub.importAsset(slug, body)),
  });
  const transport = new StdioServerTransport();
  const ended = new Promise<void>((resolve) => {
    transport.onclose = resolve;
    process.stdin.once("end", resolve);
  });
  await server.connect(transport);
  await ended;
  await server.close();
}

/** Passes on a refusal with the hub's own text. Any other error becomes a general message, to disclose nothing about this machine. */
async function shown<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof HubError)) throw new Error("The hub did not answer.");
    const { title, detail, errors } = error.problem;
    throw new Error(
      [title, detail, ...errors.map(({ path, message }) => `${path} ${message}`)].filter(Boolean).join(": "),
    );
  }
}
