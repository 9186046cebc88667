import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Keyring } from "../../packages/core/src/keys/seal.ts";
import type { HubDatabase } from "../../supabase/functions/_shared/hub-database.ts";
import type { PaymentProvider } from "../../supabase/functions/_shared/payments/provider.ts";
import { functionNames } from "./function-names.ts";
import type { AlertParts } from "./functions/keyhub-alerts.ts";
import type { GatewaySettings } from "./functions/keyhub-gateway.ts";

/** The facts that tests need about a function: its file in tests/support/functions/ exports them as `tested`. */
export interface TestedFunction {
  /** Returns the handler, for tests in Node. */
  handler(parts: Parts): (request: Request) => Promise<Response>;
  /** Data for requests to the deployed function when no database can be reached. */
  deployed: {
    path?: string;
    /** The method; POST by default. */
    method?: "PUT";
    /** A valid body, so that a request with it can be refused only for its credential. */
    valid: unknown;
    /** Headers that are refused; by default a request without a credential is refused. */
    refused?: Record<string, string>;
    /** A call that loads every module of the function, and its expected answer. If a module is missing, the answer is a 500. */
    far: { body: unknown; headers: Record<string, string>; status: number; code: string };
    /** Files that must not be deployed with the function: it does not need them, and they would only slow it down. */
    foreign: RegExp;
  };
}

/** The parts of a handler; each function uses those that it needs. */
export interface Parts {
  database: HubDatabase;
  keyring: () => Promise<Keyring>;
  random: () => number;
  /** The settings of the gateway that a test may replace. */
  gateway?: GatewaySettings;
  /** Returns the payment provider, or null for none. By default the provider cannot be reached. */
  payments?: () => PaymentProvider | null;
  /** The parts of keyhub-alerts that a test may replace. */
  alerts?: AlertParts;
}

/** The facts about each function. If a function has no file in functions/, every test that imports this map fails. */
export const testedFunctions: ReadonlyMap<string, TestedFunction> = new Map(
  await Promise.all(functionNames.map(async (name) => [name, await readTested(name)] as const)),
);

async function readTested(name: string): Promise<TestedFunction> {
  if (!existsSync(join(import.meta.dirname, "functions", `${name}.ts`))) {
    throw new Error(
      `tests/support/functions/${name}.ts is missing: it has the facts that tests need about the function`,
    );
  }
  const { tested } = await import(`./functions/${name}.ts`);
  return tested;
}

/** Returns the handlers of all functions, by name. */
export function makeHandlers(parts: Parts): Record<string, (request: Request) => Promise<Response>> {
  return Object.fromEntries([...testedFunctions].map(([name, { handler }]) => [name, handler(parts)]));
}
