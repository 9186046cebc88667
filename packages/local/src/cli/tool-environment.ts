import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { parse } from "dotenv";
import { errorCode } from "../failure.ts";
import { repositoryRoot } from "../settings/paths.ts";
import { CommandFailure } from "./command.ts";

/** Settings by name: the environment's own come before those of the env file; an empty one counts as none. */
export interface ToolEnvironment {
  get(name: string): string | undefined;
  /** Throws a CommandFailure that names the setting when it is not there. */
  need(name: string): string;
  /** The env file as a person would name it. */
  file: string;
  /** Whether the env file is there. */
  hasFile: boolean;
}

type Variables = Record<string, string | undefined>;

/** Reads the env file that KEYHUB_ENV_FILE names, `.env.local` otherwise; a missing one is an empty one. */
export function readToolEnvironment(variables: Variables = process.env): ToolEnvironment {
  const path = resolve(repositoryRoot, variables.KEYHUB_ENV_FILE?.trim() || ".env.local");
  const short = relative(repositoryRoot, path);
  const file = short.startsWith("..") ? path : short;
  const read = readVariables(path, file);
  const get = (name: string) => variables[name]?.trim() || read?.[name]?.trim() || undefined;
  return {
    get,
    need(name) {
      const value = get(name);
      if (value !== undefined) return value;
      throw new CommandFailure(`${name} is not set, neither in the environment nor in ${file}${hint(name)}`);
    },
    file,
    hasFile: read !== undefined,
  };
}

function readVariables(path: string, file: string): Variables | undefined {
  try {
    return parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw new CommandFailure(`cannot read ${file}: ${errorCode(error) ?? "unknown fault"}`);
  }
}

function hint(name: string): string {
  const made = name === "KEYHUB_SEAL_KEY" || name === "KEYHUB_UNSEAL_KEYS";
  return `; npm start writes it for the local stack${made ? ", npm run keygen makes a pair" : ""}`;
}
