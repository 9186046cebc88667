import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Where test files ask for what they share, see shared.ts. */
    sharedAddress: string;
  }
}

/** Something that all test files of a run share: made when the first asks, gone with the run. */
interface Shared {
  /** The answer to those who ask: a URL or a path. */
  value: string;
  stop(): Promise<void>;
}

const makers: Record<string, () => Promise<Shared>> = {
  "/cluster": async () => (await import("./cluster.ts")).startCluster(),
  "/browser": async () => (await import("./browser.ts")).unpackBrowser(),
  "/data-folder": async () => (await import("./data-folder.ts")).makeDataFolder(),
};

/**
 * Nothing is started before a test file asks for it, so a run of pure unit tests starts nothing. Test files run in processes of
 * their own, and ask over loopback.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const made = new Map<string, Promise<Shared>>();
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    const make = makers[path];
    if (make === undefined) return void response.writeHead(404).end();
    const shared = made.get(path) ?? make();
    made.set(path, shared);
    shared.then(
      ({ value }) => response.end(value),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  project.provide("sharedAddress", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.close();
    for (const shared of await Promise.allSettled(made.values()))
      if (shared.status === "fulfilled") await shared.value.stop();
  };
}
