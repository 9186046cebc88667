import { waitBy } from "../../../packages/core/src/rotate/index.ts";
import { readUpstreams } from "../../../packages/core/src/upstream/index.ts";
import { OpenedKeys } from "../../../supabase/functions/_shared/lease.ts";
import { keyhubGateway } from "../../../supabase/functions/keyhub-gateway/handler.ts";
import { createLeaseManager } from "../../../supabase/functions/keyhub-gateway/lease-manager.ts";
import { readLimits } from "../../../supabase/functions/keyhub-gateway/limits.ts";
import type { Parts, TestedFunction } from "../tested-functions.ts";
import { AGENT } from "./callers.ts";

/** The settings of the gateway that a test may replace. */
export interface GatewaySettings {
  upstreams?: Record<string, unknown>;
  firstByteTimeout?: number;
  maxWait?: number;
  resolve?: (host: string) => Promise<string[]>;
  allowLoopback?: boolean;
  fetch?: typeof fetch;
}

export const tested: TestedFunction = {
  handler: (parts) => keyhubGateway(dependencies(parts)),
  deployed: {
    path: "/openai/v1/chat/completions",
    valid: { model: "gpt", messages: [] },
    // Only the database can check the agent token, and the database cannot be reached.
    far: { body: { model: "gpt", messages: [] }, headers: AGENT, status: 503, code: "unavailable" },
    foreign: /\/core\/src\/(?:hub|scan)\//,
  },
};

function dependencies({
  database,
  keyring,
  random,
  gateway = {},
}: Parts): Parameters<typeof keyhubGateway>[0] {
  const { upstreams, allowLoopback = true, ...own } = gateway;
  const wait = waitBy({ setTimeout, clearTimeout });
  const now = () => performance.now();
  return {
    ...readLimits(() => undefined),
    database,
    leaseManager: createLeaseManager({
      ...{ database, keyring, wait, now, random },
      opened: new OpenedKeys(Date.now),
      background: () => {},
    }),
    fetch,
    wait,
    now,
    upstreams: () => readUpstreams(JSON.stringify(upstreams ?? {}), { allowLoopback }),
    resolve: async () => [],
    allowLoopback,
    ...own,
  };
}
