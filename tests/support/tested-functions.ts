import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Keyring } from "../../packages/core/src/keys/seal.ts";
import type { HubDatabase } from "../../supabase/functions/_shared/hub-database.ts";
import type { PaymentProvider } from "../../supabase/functions/_shared/payments/provider.ts";
import { functionNames } from "./function-names.ts";
import type { AlertParts } from "./functions/keyhub-alerts.ts";
import type { GatewaySettings } from "./functions/keyhub-gateway.ts";

/** What tests know of a function: the file of its name in tests/support/functions/ exports this as `tested`. */
export interface TestedFunction {
  /** The handler as tests in Node call it. */
  handler(parts: Parts): (request: Request) => Promise<Response>;
  /** Requests to the deployed function, where no database can be reached. */
  deployed: {
    path?: string;
    /** POST unless it is another one. */
    method?: "PUT";
    /** A body that only lacks a credential. */
    valid: unknown;
    /** Headers that are refused; without them a request without a credential is. */
    refused?: Record<string, string>;
    /** A call that needs every module of the function, and its answer. A module that is missing is a 500. */
    far: { body: unknown; headers: Record<string, string>; status: number; code: string };
    /** Files that must never travel with the function: it has no use for them, and would only become slower. */
    foreign: RegExp;
  };
}

/** What a handler is made of; a function takes what it needs. */
export interface Parts {
  database: HubDatabase;
  keyring: () => Promise<Keyring>;
  random: () => number;
  /** What of the gateway a test wants otherwise. */
  gateway?: GatewaySettings;
  /** The payment provider; null for none, and without it one that nobody answers for. */
  payments?: () => PaymentProvider | null;
  /** What of keyhub-alerts. */
  alerts?: AlertParts;
}

/** What tests know of each function. A function without its file here fails every test that uses a function. */
export const testedFunctions: ReadonlyMap<string, TestedFunction> = new Map(
  await Promise.all(functionNames.map(async (name) => [name, await readTested(name)] as const)),
);

async function readTested(name: string): Promise<TestedFunction> {
  if (!existsSync(join(import.meta.dirname, "functions", `${name}.ts`))) {
    throw new Error(`tests/support/functions/${name}.ts is missing: what tests know of the function`);
  }
  const { tested } = await import(`./functions/${name}.ts`);
  return tested;
}

/** The handlers of all functions, by name. */
export function makeHandlers(parts: Parts): Record<string, (request: Request) => Promise<Response>> {
  return Object.fromEntries([...testedFunctions].map(([name, { handler }]) => [name, handler(parts)]));
}
