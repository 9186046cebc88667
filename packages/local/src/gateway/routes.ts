import { readTarget } from "./request-target.ts";

export type Route =
  | { kind: "supabase"; path: string }
  | { kind: "function"; name: string; path: string }
  | { kind: "none" };

/** The documents' own paths, and the function each one means. */
const aliases: [prefix: string, name: string][] = [
  ["/webhook/get-active-key", "get-active-key"],
  ["/webhook/set-key-state", "set-key-state"],
  ["/api/hub/publish", "hub-publish"],
  ["/api/hub/import", "hub-import"],
];

/**
 * Where a request goes. Everything that is not listed here goes nowhere: lite also serves a page that tells the
 * database password. What is passed on is what was judged, letter by letter.
 */
export function route(target: string): Route {
  const read = readTarget(target);
  if (read === null) return { kind: "none" };
  const { path, query } = read;
  if (isOfSupabase(path)) return { kind: "supabase", path: path + query };
  if (path.startsWith("/functions/v1/")) {
    const rest = path.slice("/functions/v1".length);
    return { kind: "function", name: rest.split("/")[1] ?? "", path: rest + query };
  }
  for (const [prefix, name] of aliases) {
    if (below(path, prefix)) {
      return { kind: "function", name, path: `/${name}${path.slice(prefix.length)}${query}` };
    }
  }
  return { kind: "none" };
}

/** REST and auth, of all that lite serves. */
export function isOfSupabase(path: string): boolean {
  return below(path, "/rest/v1") || below(path, "/auth/v1");
}

function below(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}
