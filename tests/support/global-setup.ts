import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Answers with the URL of the test cluster; the first question starts it. */
    clusterAddress: string;
  }
}

interface Cluster {
  url: string;
  stop(): Promise<void>;
}

/**
 * One real Postgres for the whole run, started when the first test file asks for it: a run of pure unit tests starts none.
 * Test files run in processes of their own, so they ask over loopback (`clusterUrl` in database.ts).
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let cluster: Promise<Cluster> | undefined;
  const server = createServer((_, response) => {
    cluster ??= import("./cluster.ts").then(({ startCluster }) => startCluster());
    cluster.then(
      ({ url }) => response.end(url),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  project.provide("clusterAddress", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.close();
    const started = await cluster?.catch(() => undefined);
    await started?.stop();
  };
}
