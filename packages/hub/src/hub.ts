import { type Acting, actingOf } from "./acting.ts";
import type { AssetType } from "./answers.ts";
import { callsOf } from "./calls.ts";
import { type DataClient, overClient } from "./client.ts";
import { type Connection, overFetch } from "./connection.ts";
import { type Moderation, moderationOf } from "./moderation.ts";
import { type Organizations, organizationsOf } from "./organizations.ts";
import { type Reading, readingOf } from "./reading.ts";
import { type Selling, sellingOf } from "./selling.ts";
import { type Sharing, sharingOf } from "./sharing.ts";
import { type Workspace, workspaceOf } from "./workspace.ts";

/** The calls of the hub for one caller. A call that fails rejects with a HubError. */
export interface Hub extends Reading, Acting, Selling, Sharing {
  /** Returns the calls for the caller's own items of one type. */
  workspace<Type extends AssetType>(type: Type): Workspace<Type>;
  organizations: Organizations;
  /** Calls for admins. */
  moderation: Moderation;
}

export interface HubOptions {
  /** The address of the functions. A client of postgrest-js needs this option, because such a client cannot call functions. */
  functions?: Connection;
}

/** Returns an object with the hub's calls. They go over a client of supabase-js or postgrest-js, as its user, or over a Connection. */
export function createHub(over: DataClient | Connection, { functions }: HubOptions = {}): Hub {
  const invoke = functions && overFetch(functions).invoke;
  const calls = callsOf("rpc" in over ? overClient(over, invoke) : overFetch(over));
  return {
    ...readingOf(calls),
    ...actingOf(calls),
    ...sellingOf(calls),
    ...sharingOf(calls),
    workspace: (type) => workspaceOf(calls, type),
    organizations: organizationsOf(calls),
    moderation: moderationOf(calls),
  };
}
