import { inject } from "vitest";

/** Asks the global setup for something that all test files share; the first who asks waits until it is made. */
async function shared(path: "/cluster" | "/data-folder" | "/browser"): Promise<string> {
  const answer = await fetch(new URL(path, inject("sharedAddress")));
  if (!answer.ok) throw new Error(`${path} of the global setup: ${await answer.text()}`);
  return answer.text();
}

/** The URL of the run's Postgres, as the role `postgres`. */
export const clusterUrl = () => shared("/cluster");

/** A data folder as the first start of a stack leaves it. Not to be used, but copied: `copyDataFolder`. */
export const preparedDataFolder = () => shared("/data-folder");

/** The path of the packed browser, unpacked. */
export const packedBrowserPath = () => shared("/browser");
