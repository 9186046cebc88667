import { readTarget } from "./request.ts";

export type Route =
  | { kind: "supabase"; path: string }
  | { kind: "function"; name: string; path: string }
  | { kind: "site"; path: string }
  | { kind: "openapi" }
  | { kind: "none" };

/** Other addresses of functions, from Keyhub's specification, and the function that answers each. */
const aliases: [prefix: string, name: string][] = [
  ["/webhook/get-active-key", "get-active-key"],
  ["/webhook/set-key-state", "set-key-state"],
  ["/api/hub/publish", "hub-publish"],
  ["/api/hub/import", "hub-import"],
];

/** The paths of the hub's pages and of the files that they load. Every path below one of these is also included. */
const PAGES = [
  "/hub",
  "/assets",
  "/pictures",
  "/login",
  "/workspace",
  "/orgs",
  "/admin",
  "/api/hub",
  "/api/oembed",
];
const FILES = ["/", "/llms.txt", "/favicon.svg", "/robots.txt", "/preview.html"];

/**
 * Returns which part of the stack answers a request. This is an allow-list, because @supabase/lite also serves a page with the database
 * password. The forwarded path is exactly the path that was checked.
 */
export function route(target: string): Route {
  const read = readTarget(target);
  if (read === null) return { kind: "none" };
  const { path, query } = read;
  if (path === "/openapi.json") return { kind: "openapi" };
  if (isOfSupabase(path)) return { kind: "supabase", path: path + query };
  if (path.startsWith("/functions/v1/")) {
    const rest = path.slice("/functions/v1".length);
    return { kind: "function", name: rest.split("/")[1] ?? "", path: rest + query };
  }
  for (const [prefix, name] of aliases) {
    if (isUnder(path, prefix)) {
      return { kind: "function", name, path: `/${name}${path.slice(prefix.length)}${query}` };
    }
  }
  if (FILES.includes(path) || PAGES.some((prefix) => isUnder(path, prefix))) {
    return { kind: "site", path: path + query };
  }
  return { kind: "none" };
}

/** Returns whether a path is of the REST API or of auth, the only parts of lite that clients may reach. */
export function isOfSupabase(path: string): boolean {
  return isUnder(path, "/rest/v1") || isUnder(path, "/auth/v1");
}

function isUnder(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}
