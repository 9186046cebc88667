import type { SupabaseClient } from "@supabase/supabase-js";
import { afterAll, beforeAll } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { type AssetType, makeUser, sourceTable } from "../../support/hub.ts";
import { forgeToken, type Service } from "../../support/service.ts";

/** A signed-in user of the hub. */
export interface Person {
  id: string;
  token: string;
  /** A supabase-js client with their session. */
  client: SupabaseClient;
  /** Makes an item of their workspace; returns its id. */
  make(type: AssetType, columns?: Record<string, unknown>): Promise<string>;
  /** Sends POST hub-publish; missing members of the body get valid defaults. */
  publish(body: Record<string, unknown>, headers?: Record<string, string>): Promise<Reply>;
}

export interface Reply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: each test checks the shape of the answers that it needs.
  body: any;
  /** The body as text, before it is parsed. */
  text: string;
}

export interface Fixture {
  db: Clone;
  service: Service;
  guest: SupabaseClient;
  join(): Promise<Person>;
  /** Sends a raw body with these headers. */
  send(body: unknown, headers?: Record<string, string>): Promise<Reply>;
}

/** Opens the functions with a database of their own, for the tests of one file. */
export function publishFixture(start: (db: Clone) => Promise<Service>): Fixture {
  const fixture = {} as Fixture;
  beforeAll(async () => {
    const db = await cloneDatabase();
    const service = await start(db);
    const send = async (body: unknown, headers: Record<string, string> = {}): Promise<Reply> => {
      const response = await service.fetch("/functions/v1/hub-publish", {
        method: "POST",
        headers: { "Content-Type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: JSON.parse(text), text };
    };
    const join = async (): Promise<Person> => {
      const id = await makeUser(db.sql);
      const token = tokenOf(id);
      const client = service.client(token);
      return {
        id,
        token,
        client,
        make: async (type, columns = {}) => {
          const { data, error } = await client
            .from(sourceTable(type))
            .insert({ name: "An item", ...columns })
            .select("id")
            .single();
          if (error !== null) throw error;
          return data.id as string;
        },
        publish: (body, headers) =>
          send(
            {
              asset_type: "template",
              title: "A greeting",
              description: "Greets people.",
              license: "platform-free",
              ...body,
            },
            { Authorization: `Bearer ${token}`, ...headers },
          ),
      };
    };
    Object.assign(fixture, { db, service, guest: service.client(), join, send });
  });
  afterAll(async () => {
    await fixture.service?.stop();
    await fixture.db?.drop();
  });
  return fixture;
}

/** Returns an access token like those of auth. */
export function tokenOf(userId: string, claims: Record<string, unknown> = {}): string {
  const exp = Math.floor(Date.now() / 1000) + 3600;
  return forgeToken({ sub: userId, role: "authenticated", aud: "authenticated", exp, ...claims });
}

/** Returns what a guest can read of a listing: the row, its version, its items. */
export async function readAsGuest(guest: SupabaseClient, assetId: string) {
  const one = async (query: PromiseLike<{ data: unknown; error: unknown }>) => {
    const { data, error } = await query;
    if (error !== null) throw error;
    return data;
  };
  const asset = (await one(guest.from("hub_assets").select("*").eq("id", assetId).single())) as Record<
    string,
    unknown
  >;
  const current = { asset_id: assetId, version: asset.current_version };
  return {
    asset,
    version: (await one(guest.from("hub_asset_versions").select("*").match(current).single())) as Record<
      string,
      unknown
    >,
    items: (await one(guest.from("hub_bundle_items").select("*").match(current).order("position"))) as Record<
      string,
      unknown
    >[],
  };
}
