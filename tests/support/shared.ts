import { inject } from "vitest";

/** Asks the global setup for something that all test files share. The first caller waits until it is made. */
async function shared(path: "/cluster" | "/data-folder" | "/browser"): Promise<string> {
  const answer = await fetch(new URL(path, inject("sharedAddress")));
  if (!answer.ok) throw new Error(`${path} of the global setup: ${await answer.text()}`);
  return answer.text();
}

/** The URL of the run's Postgres, as the role `postgres`. */
export const clusterUrl = () => shared("/cluster");

/** Returns a data folder after the first start of a stack. Tests must not use it, but copy it with `copyDataFolder`. */
export const preparedDataFolder = () => shared("/data-folder");

/** The path of the packed browser, unpacked. */
export const packedBrowserPath = () => shared("/browser");
