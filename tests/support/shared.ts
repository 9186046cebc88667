import { inject } from "vitest";

/** Requests a resource that all test files share from the global setup. The first caller waits until the resource is made. */
async function shared(path: "/cluster" | "/data-folder" | "/browser"): Promise<string> {
  const answer = await fetch(new URL(path, inject("sharedAddress")));
  if (!answer.ok) throw new Error(`${path} of the global setup: ${await answer.text()}`);
  return answer.text();
}

/** Returns the URL of the Postgres of this run, with the role `postgres`. */
export const clusterUrl = () => shared("/cluster");

/** Returns the path of a stack's data folder after its first start. Tests must use a copy of the folder (`copyDataFolder`). */
export const preparedDataFolder = () => shared("/data-folder");

/** Returns the path of the browser that was unpacked from its npm package. */
export const packedBrowserPath = () => shared("/browser");
