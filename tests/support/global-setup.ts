import { writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { TestProject } from "vitest/node";
import { removeMemoryFolder } from "./memory-folder.ts";
import type { RecordedAnswer } from "./openapi/answers.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The address at which test files request shared resources (shared.ts). */
    sharedAddress: string;
  }
}

/** A resource that all test files of a run share. It is made at the first request and removed after the run. */
interface Shared {
  /** The answer to a request: a URL or a path. */
  value: string;
  stop(): Promise<void>;
}

const makers: Record<string, () => Promise<Shared>> = {
  "/cluster": async () => (await import("./cluster.ts")).startCluster(),
  "/browser": async () => (await import("./browser.ts")).unpackBrowser(),
  "/data-folder": async () => (await import("./data-folder.ts")).makeDataFolder(),
};

/** The answers of functions that were seen in this run, as `operation status`. */
const seen = new Set<string>();

const OTHERWISE =
  "docs/openapi.json declares otherwise (change callers, answers or codes in tests/support/openapi/operations/, then npm run generate):";

/** Checks answers of functions against the OpenAPI document. It runs here for all test files, because the checker is slow to load. */
async function checkAnswers(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { checkAnswer } = await import("./openapi/check-answer.ts");
  const faults = new Set<string>();
  for (const answer of (await json(request)) as RecordedAnswer[]) {
    const checked = checkAnswer(answer);
    if (checked === null) continue;
    seen.add(checked.seen);
    if (checked.fault !== undefined) faults.add(checked.fault);
  }
  if (faults.size === 0) response.writeHead(204).end();
  else response.writeHead(422).end([OTHERWISE, ...faults].join("\n"));
}

/**
 * Serves the shared resources. Each is made only when a test file requests it, so a run of pure unit tests starts nothing. Test files run
 * in other processes, so they send their requests over loopback.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const made = new Map<string, Promise<Shared>>();
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    if (path === "/answers") {
      checkAnswers(request, response).catch((error) => response.writeHead(500).end(String(error)));
      return;
    }
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
    const { KEYHUB_SEEN_ANSWERS: file } = process.env;
    if (file !== undefined) await writeFile(file, JSON.stringify([...seen].sort()));
    for (const shared of await Promise.allSettled(made.values()))
      if (shared.status === "fulfilled") await shared.value.stop();
    removeMemoryFolder();
  };
}
