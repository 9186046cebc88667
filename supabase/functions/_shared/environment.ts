import { SafeError } from "./log.ts";

/** Reads one environment variable. */
export type Environment = (name: string) => string | undefined;

/** Returns the secret key: from the JSON object of named keys, or in older projects from the variable with the service role key. */
export function secretKey(environment: Environment): string {
  return firstKey(environment, "SUPABASE_SECRET_KEYS") ?? required(environment, "SUPABASE_SERVICE_ROLE_KEY");
}

/** Returns all secret keys of the project: a caller may use any of them. */
export function secretKeys(environment: Environment): string[] {
  const keys = environment("SUPABASE_SECRET_KEYS");
  const named =
    keys === undefined || keys === "" ? [] : Object.values(JSON.parse(keys) as Record<string, string>);
  return [...named, environment("SUPABASE_SERVICE_ROLE_KEY") ?? ""].filter((key) => key !== "");
}

/** Reads a JSON object of keys by name, and returns the key named `default`, or else the first one. */
export function firstKey(environment: Environment, name: string): string | undefined {
  const keys = environment(name);
  if (keys === undefined || keys === "") return undefined;
  const byName = JSON.parse(keys) as Record<string, string>;
  return byName.default ?? Object.values(byName)[0];
}

/** Reads a required setting. Throws a SafeError with its name when it is not set. */
export function required(environment: Environment, name: string): string {
  const value = environment(name);
  if (value === undefined || value === "") throw new SafeError(`${name} is not set`);
  return value;
}
