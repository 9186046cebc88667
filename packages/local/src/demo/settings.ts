import { CommandFailure, readOptions } from "../cli/command.ts";
import { readSealer, type Sealer } from "../cli/seal-key.ts";
import { readToolEnvironment } from "../cli/tool-environment.ts";

export interface DemoSettings {
  seconds: number;
  agents: number;
  url: string;
  publishableKey: string;
  databaseUrl: string;
  /** Where the gateway expects the demo's provider. */
  providerPort: number;
  sealer: Sealer;
}

const usage = "npm run demo [-- --seconds <1-3600> --agents <1-64>]";

/** Reads the options and the running stack's settings; throws a CommandFailure when one is not valid. */
export async function readDemoSettings(): Promise<DemoSettings> {
  const options = readOptions({ seconds: { type: "string" }, agents: { type: "string" } }, usage);
  const seconds = wholeNumber("--seconds", options.seconds ?? "30", 3600);
  const agents = wholeNumber("--agents", options.agents ?? "8", 64);
  const environment = readToolEnvironment();
  if (!environment.hasFile && environment.get("SUPABASE_URL") === undefined) {
    throw new CommandFailure(
      `there is no ${environment.file}: start the stack in another terminal first (npm start)`,
    );
  }
  const url = environment.need("SUPABASE_URL").replace(/\/+$/, "");
  const databaseUrl = environment.need("SUPABASE_DB_URL");
  // The demo signs up a user, adds keys and deletes both, so it only runs against a local stack.
  for (const [name, address] of Object.entries({ SUPABASE_URL: url, SUPABASE_DB_URL: databaseUrl })) {
    if (!isLoopback(address))
      throw new CommandFailure(`${name} is not on this machine; the demo is for a local stack`);
  }
  return {
    seconds,
    agents,
    url,
    databaseUrl,
    providerPort: Number(new URL(environment.need("KEYHUB_DEMO_PROVIDER")).port),
    publishableKey: environment.need("SUPABASE_PUBLISHABLE_KEY"),
    sealer: await readSealer(environment.need("KEYHUB_SEAL_KEY")),
  };
}

function wholeNumber(name: string, text: string, most: number): number {
  const number = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > most)
    throw new CommandFailure(`${name} must be a whole number from 1 to ${most}`);
  return number;
}

function isLoopback(address: string): boolean {
  try {
    return ["127.0.0.1", "localhost", "[::1]"].includes(new URL(address).hostname);
  } catch {
    return false;
  }
}
