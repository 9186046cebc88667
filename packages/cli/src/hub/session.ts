import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { createHub, type Hub } from "@keyhub/hub/source";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import type { ToolEnvironment } from "../environment.ts";
import { CommandFailure } from "../failure.ts";

/** The hub of one project, with the rights of the logged-in user or of a guest. */
export interface HubSession {
  hub: Hub;
  client: SupabaseClient;
  /** The address of the project, and its publishable key. */
  url: string;
  key: string;
  /** The address of the hub's pages, without a path; null if it is unknown. */
  origin: string | null;
  /** Whether somebody has logged in. */
  isMember: boolean;
}

/** Connects to the project of SUPABASE_URL and SUPABASE_PUBLISHABLE_KEY. */
export async function openHub(environment: ToolEnvironment): Promise<HubSession> {
  const url = environment.need("SUPABASE_URL").replace(/\/+$/, "");
  if (!/^https?:\/\/[^/]+$/.test(url)) throw new CommandFailure("SUPABASE_URL is not the URL of a project");
  const key = environment.need("SUPABASE_PUBLISHABLE_KEY");
  const client = createClient(url, key, {
    auth: {
      storage: fileStorage(sessionFile(environment, url)),
      autoRefreshToken: false,
      detectSessionInUrl: false,
    },
  });
  // Renews an expired session.
  const { data } = await client.auth.getSession();
  const origin = environment.get("KEYHUB_HUB_URL")?.replace(/\/+$/, "") ?? (isLocal(url) ? url : null);
  return { hub: createHub(client as never), client, url, key, origin, isMember: data.session !== null };
}

/** Returns whether the project is a local stack, which serves the pages at its own address. */
const isLocal = (url: string) => /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(url);

/** Returns the session file in the user's config folder. Each project has its own file. */
function sessionFile(environment: ToolEnvironment, url: string): string {
  const base = environment.get("XDG_CONFIG_HOME") ?? environment.get("APPDATA") ?? join(homedir(), ".config");
  return join(base, "keyhub", `${new URL(url).host.replace(/[^\w.-]/g, "_")}.json`);
}

/** Stores the session in a file that only its owner may read, because a session gives access to the account. */
function fileStorage(path: string) {
  const read = async (): Promise<Record<string, string>> => {
    try {
      return JSON.parse(await readFile(path, "utf8"));
    } catch {
      // The file does not exist yet, or a crash cut it off: nobody is logged in.
      return {};
    }
  };
  return {
    getItem: async (name: string) => (await read())[name] ?? null,
    setItem: async (name: string, value: string) => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(path, JSON.stringify({ ...(await read()), [name]: value }), { mode: 0o600 });
    },
    removeItem: () => rm(path, { force: true }),
  };
}
