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
 * database password. The path is resolved first, so that `/rest/v1/../_system/info` is what it really is, and the
 * resolved one is what is passed on.
 */
export function route(target: string): Route {
  let url: URL;
  try {
    url = new URL(target, "http://gateway");
  } catch {
    return { kind: "none" };
  }
  const { pathname, search } = url;
  if (below(pathname, "/rest/v1") || below(pathname, "/auth/v1")) {
    return { kind: "supabase", path: pathname + search };
  }
  if (pathname.startsWith("/functions/v1/")) {
    const path = pathname.slice("/functions/v1".length);
    const name = path.split("/")[1] ?? "";
    return { kind: "function", name, path: path + search };
  }
  for (const [prefix, name] of aliases) {
    if (below(pathname, prefix)) {
      return { kind: "function", name, path: `/${name}${pathname.slice(prefix.length)}${search}` };
    }
  }
  return { kind: "none" };
}

function below(pathname: string, prefix: string): boolean {
  return pathname === prefix || pathname.startsWith(`${prefix}/`);
}
