import { PostgrestClient } from "@supabase/postgrest-js";
import { afterAll, beforeAll, expect } from "vitest";
import * as z from "zod/mini";
import { contracts } from "../../../packages/core/src/hub/contracts/index.ts";
import { createHub, type Hub } from "../../../packages/hub/src/index.ts";
import { tokenOf } from "../../http/publish/fixture.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { makeAdmin, makeUser } from "../../support/hub.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { publishableKey, type Service } from "../../support/service.ts";

/** The clients on which a hub can be built. */
export const CLIENTS = ["supabase-js", "postgrest-js", "fetch"] as const;
/** Returns the clients for a scenario. All calls of a client are sent by the same code, so the normal form tests a scenario with few. */
export const clientsFor = (...few: ClientKind[]) => (LONG_TESTS ? CLIENTS : few);
export type ClientKind = (typeof CLIENTS)[number];

export interface HubBench {
  db: Clone;
  service: Service;
  /** Returns the hub of a user, or of a guest. */
  hub(kind: ClientKind, userId?: string): Hub;
  /** Makes a new user; returns the user's id and hub. */
  join(kind: ClientKind): Promise<{ id: string; hub: Hub }>;
  admin(kind: ClientKind): Promise<{ id: string; hub: Hub }>;
}

export function openHub(start: (db: Clone) => Promise<Service>): HubBench {
  const bench = {} as HubBench;
  beforeAll(async () => {
    bench.db = await cloneDatabase();
    bench.service = await start(bench.db);
  });
  afterAll(async () => {
    await bench.service?.stop();
    await bench.db?.drop();
  });
  bench.hub = (kind, userId) => {
    const { service } = bench;
    const token = userId === undefined ? null : tokenOf(userId);
    // The service gets only the path, wherever it runs.
    const heard: typeof fetch = (input, init) => service.fetch(String(input).slice(service.url.length), init);
    const connection = { url: service.url, key: publishableKey, token, fetch: heard };
    if (kind === "supabase-js") return createHub(service.client(token ?? undefined));
    if (kind === "fetch") return createHub(connection);
    const headers = { apikey: publishableKey, ...(token && { Authorization: `Bearer ${token}` }) };
    const rest = new PostgrestClient(`${service.url}/rest/v1`, { headers, fetch: heard });
    return createHub(rest, { functions: connection });
  };
  bench.join = async (kind) => {
    const id = await makeUser(bench.db.sql);
    return { id, hub: bench.hub(kind, id) };
  };
  bench.admin = async (kind) => {
    const id = await makeAdmin(bench.db.sql);
    return { id, hub: bench.hub(kind, id) };
  };
  return bench;
}

/** Returns the answer, after a check that it has exactly the members of its contract. */
export function fits<Name extends keyof typeof contracts>(
  name: Name,
  answer: unknown,
): z.infer<(typeof contracts)[Name]> {
  const { error } = z.safeParse(contracts[name], answer);
  expect(
    error && `${name}: ${z.prettifyError(error)}\n${JSON.stringify(answer, null, 1).slice(0, 3000)}`,
  ).toBe(undefined);
  return answer as never;
}
