import { readSealer } from "@keyhub/cli/source";
import { isLoopback } from "@keyhub/core/upstream";
import { CommandFailure, readOptions } from "../cli/command.ts";
import { readToolEnvironment } from "../cli/tool-environment.ts";

export type DemoSettings = Awaited<ReturnType<typeof readDemoSettings>>;

/** Reads the options and the running stack's settings; throws a CommandFailure when one is not valid. */
export async function readDemoSettings() {
  const usage = "npm run demo [-- --seconds <1-3600> --agents <1-64>]";
  const options = readOptions({ seconds: { type: "string" }, agents: { type: "string" } }, usage);
  const seconds = wholeNumber("--seconds", options.seconds ?? "30", 3600);
  const agents = wholeNumber("--agents", options.agents ?? "8", 64);
  const { need, get, hasFile, file } = readToolEnvironment();
  if (!hasFile && get("SUPABASE_URL") === undefined)
    throw new CommandFailure(`there is no ${file}: start the stack in another terminal first (npm start)`);
  // The demo signs up a user, adds keys and deletes both, so it only runs against a local stack.
  for (const name of ["SUPABASE_URL", "SUPABASE_DB_URL"])
    if (!isLoopback(URL.parse(need(name))?.hostname ?? ""))
      throw new CommandFailure(`${name} is not on this machine; the demo is for a local stack`);
  return {
    seconds,
    agents,
    url: need("SUPABASE_URL").replace(/\/+$/, ""),
    databaseUrl: need("SUPABASE_DB_URL"),
    // The port at which the gateway expects the demo's provider.
    providerPort: Number(new URL(need("KEYHUB_DEMO_PROVIDER")).port),
    publishableKey: need("SUPABASE_PUBLISHABLE_KEY"),
    sealer: await readSealer(need("KEYHUB_SEAL_KEY")),
  };
}

function wholeNumber(name: string, text: string, most: number): number {
  const number = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= most) return number;
  throw new CommandFailure(`${name} must be a whole number from 1 to ${most}`);
}
