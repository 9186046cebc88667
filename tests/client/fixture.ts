import { afterAll, afterEach, beforeAll, expect } from "vitest";
import {
  createKeyhub,
  type Keyhub,
  type KeyhubEvent,
  type KeyhubOptions,
  type LostReport,
} from "../../packages/client/src/index.ts";
import { type Clone, cloneDatabase } from "../support/database.ts";
import { addKey, makeUser } from "../support/keys.ts";
import { plantedKey } from "../support/planted-keys.ts";
import { inProcess, type Service } from "../support/service.ts";
import { until } from "../support/until.ts";
import { type Provider, startProvider } from "./provider.ts";

export interface Row {
  key: string;
  outcome: string | null;
  error_code: string | null;
  effect: string | null;
}

/** A pool, and a client that leases from it. */
export interface Bench {
  keyhub: Keyhub;
  token: string;
  keys: string[];
  events: KeyhubEvent[];
  lost: LostReport[];
  /** Waits until every report, or this number of reports, has arrived. Returns the leases with their reports, in the order of leasing. */
  log(reports?: number): Promise<Row[]>;
  /** The number of calls to the key service so far, by function. */
  calls: Record<string, number>;
}

/** Runs the functions with a cloned database. */
export type Run = (db: Clone, provider: Provider) => Promise<Service>;

/** Starts the real key service on a cloned database, and a provider on loopback, before the tests of the file. */
export function openBench(run?: Run) {
  let db: Clone;
  let service: Service;
  let provider: Provider;
  /** Secrets that must never appear in an output. */
  const secrets = new Set<string>();
  /** Everything that the client wrote, except to the provider and the key service. */
  const said: string[] = [];
  beforeAll(async () => {
    db = await cloneDatabase();
    provider = await startProvider();
    service = await (run === undefined ? inProcess(db) : run(db, provider));
  });
  afterEach(() => provider.reset());
  afterAll(async () => {
    await provider?.stop();
    await service?.stop();
    await db?.drop();
    said.push(...(service?.console ?? []));
    const all = said.join("\n");
    expect(all.length).toBeGreaterThan(0);
    for (const secret of secrets) expect(all.includes(secret)).toBe(false);
  });

  async function bench(
    pool: { provider: string; keys: number },
    options: KeyhubOptions = {},
    tamper: (name: string, send: () => Promise<Response>) => Promise<Response> = (_, send) => send(),
    newKey: () => string = plantedKey,
  ): Promise<Bench> {
    const userId = await makeUser(db.sql);
    const [row] = await db.sql<{ token: string }[]>`select issue_agent_token(${userId}, 'agent') as token`;
    const token = row?.token ?? "";
    const keys: string[] = [];
    for (let i = 0; i < pool.keys; i += 1) {
      const plaintext = newKey();
      keys.push(plaintext);
      // The keys have different priorities, so that the next key is known.
      await addKey(db.sql, userId, {
        name: `key ${i}`,
        plaintext,
        provider: pool.provider,
        priority: 100 - i,
      });
    }
    for (const secret of [token, ...keys]) secrets.add(secret);
    const events: KeyhubEvent[] = [];
    const lost: LostReport[] = [];
    const calls: Record<string, number> = {};
    const toBoth: typeof fetch = async (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      if (!url.startsWith(service.url)) return fetch(input, init);
      const path = url.slice(service.url.length);
      const name = path.split("/").at(-1) ?? "";
      calls[name] = (calls[name] ?? 0) + 1;
      return tamper(name, () => service.fetch(path, init));
    };
    const keyhub = createKeyhub({
      url: service.url,
      token,
      fetch: toBoth,
      ...options,
      onEvent: (event) => {
        events.push(event);
        said.push(JSON.stringify(event));
      },
      onReportLost: (report) => {
        lost.push(report);
        said.push(JSON.stringify(report));
      },
    });
    return {
      keyhub,
      token,
      keys,
      events,
      lost,
      calls,
      log: async (reports) => {
        await keyhub.flush();
        const rows = () => db.sql<Row[]>`
          select key_name as key, outcome, l.error_code, effect
          from api_key_usage_log l join user_api_keys k on k.id = user_api_key_id
          where l.user_id = ${userId} order by issued_at`;
        // The gateway reports only after its answer, so wait for the reports.
        const isReported = ({ outcome }: Row) => outcome !== null;
        if (run !== undefined)
          await until(async () => {
            const all = await rows();
            return reports === undefined ? all.every(isReported) : all.filter(isReported).length >= reports;
          });
        return [...(await rows())];
      },
    };
  }

  return {
    bench,
    said,
    get provider() {
      return provider;
    },
    get service() {
      return service;
    },
    get db() {
      return db;
    },
    /** Returns the error that a call throws, and keeps its text forms: after the tests, they are searched for secrets. */
    async thrown(promise: Promise<unknown>): Promise<Record<string, unknown> & Error> {
      const { inspect } = await import("node:util");
      const error = await promise.then(
        () => undefined,
        (reason) => reason,
      );
      if (error === undefined) throw new Error("nothing was thrown");
      said.push(inspect(error, { depth: 6, showHidden: true }), String(error?.stack), JSON.stringify(error));
      return error;
    },
  };
}
