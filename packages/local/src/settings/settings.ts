// settings/: the place and the configuration of a stack: ports, folders, secrets, environments.

import { isAbsolute, join, resolve } from "node:path";
import { StartFailure } from "../failure.ts";
import { repositoryRoot } from "./paths.ts";

export interface StackSettings {
  port: number;
  dbPort: number;
  dataDir: string;
  envFile: string;
  /** The host names that the gateway answers to, besides those of this machine. */
  hosts: string[];
}

/** Reads the settings of a stack from the environment. Several stacks can run side by side if each has its own settings. */
export function readSettings(env: Record<string, string | undefined> = process.env): StackSettings {
  return {
    port: readPort(env, "KEYHUB_PORT", 54321),
    dbPort: readPort(env, "KEYHUB_DB_PORT", 54322),
    dataDir: readPath(env, "KEYHUB_DATA_DIR", join(".keyhub", "data")),
    envFile: readPath(env, "KEYHUB_ENV_FILE", ".env.local"),
    hosts: readHosts(env.KEYHUB_HOSTS),
  };
}

/** Reads names without a port, separated by commas. */
function readHosts(setting: string | undefined): string[] {
  const names = (setting ?? "").split(",").map((name) => name.trim().toLowerCase());
  const isName = (name: string) => !name.includes("*") && URL.parse(`http://${name}/`)?.hostname === name;
  const wrong = names.find((name) => name !== "" && !isName(name));
  if (wrong !== undefined)
    throw new StartFailure(`KEYHUB_HOSTS has a name that is not a host name: ${wrong.slice(0, 40)}`);
  return names.filter((name) => name !== "");
}

function readPort(env: Record<string, string | undefined>, name: string, otherwise: number): number {
  const text = env[name]?.trim();
  if (!text) return otherwise;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new StartFailure(`${name} is not a port number: ${text.slice(0, 40)}`);
  return port;
}

function readPath(env: Record<string, string | undefined>, name: string, otherwise: string): string {
  const text = env[name]?.trim() || otherwise;
  return isAbsolute(text) ? text : resolve(repositoryRoot, text);
}
