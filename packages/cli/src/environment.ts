import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { parse } from "dotenv";
import { CommandFailure } from "./failure.ts";

/**
 * Settings by name. An empty value means "not set". A file that KEYHUB_ENV_FILE names overrides the environment, because otherwise
 * a tool in a shell that has loaded another stack's file would work on that stack. The environment overrides the default `.env.local`.
 */
export interface ToolEnvironment {
  get(name: string): string | undefined;
  /** Returns a setting. Throws a CommandFailure that names the setting when the setting or the env file is missing. */
  need(name: string): string;
  /** Returns where a setting was found, for messages. */
  source(name: string): string;
  /** The settings of the env file and those of the environment, in either order: the first element overrides the second. */
  layers: readonly Variables[];
  /** The path of the env file for messages: relative to the root folder if the file is inside that folder. */
  file: string;
  /** Whether the env file exists. */
  hasFile: boolean;
}

export type Variables = Record<string, string | undefined>;

/** Reads the env file (KEYHUB_ENV_FILE, else `.env.local`, in the folder `root`) and the variables; a missing file has no settings. */
export function readEnvironment(root: string, variables: Variables = process.env): ToolEnvironment {
  const named = variables.KEYHUB_ENV_FILE?.trim();
  const path = resolve(root, named || ".env.local");
  const short = relative(root, path);
  const file = short.startsWith("..") ? path : short;
  const read = readVariables(path, file);
  const order = named ? [read ?? {}, variables] : [variables, read ?? {}];
  const holder = (name: string) => order.find((settings) => settings[name]?.trim());
  const get = (name: string) => holder(name)?.[name]?.trim();
  return {
    get,
    source: (name) => (holder(name) === read ? file : "the environment"),
    need(name) {
      if (named && read === undefined)
        throw new CommandFailure(`${file}, which KEYHUB_ENV_FILE names, does not exist`);
      const value = get(name);
      if (value !== undefined) return value;
      throw new CommandFailure(`${name} is not set, neither in the environment nor in ${file}${hint(name)}`);
    },
    layers: order,
    file,
    hasFile: read !== undefined,
  };
}

function readVariables(path: string, file: string): Variables | undefined {
  try {
    return parse(readFileSync(path, "utf8"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw new CommandFailure(`cannot read ${file}: ${code ?? "unknown fault"}`);
  }
}

function hint(name: string): string {
  const made = name === "KEYHUB_SEAL_KEY" || name === "KEYHUB_UNSEAL_KEYS";
  return `; npm start writes it for the local stack${made ? ", npm run keygen makes a pair" : ""}`;
}
