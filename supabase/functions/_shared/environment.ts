import { SafeError } from "./log.ts";

/** Reads one environment variable. */
export type Environment = (name: string) => string | undefined;

/** The secret key: hosted functions get a JSON object of keys by name, older projects a service role key. */
export function secretKey(environment: Environment): string {
  return firstKey(environment, "SUPABASE_SECRET_KEYS") ?? required(environment, "SUPABASE_SERVICE_ROLE_KEY");
}

/** All of the project's secret keys: any of them may be used by a caller. */
export function secretKeys(environment: Environment): string[] {
  const keys = environment("SUPABASE_SECRET_KEYS");
  const named =
    keys === undefined || keys === "" ? [] : Object.values(JSON.parse(keys) as Record<string, string>);
  return [...named, environment("SUPABASE_SERVICE_ROLE_KEY") ?? ""].filter((key) => key !== "");
}

/** From a JSON object of keys by name: the one named `default`, else the first. */
export function firstKey(environment: Environment, name: string): string | undefined {
  const keys = environment(name);
  if (keys === undefined || keys === "") return undefined;
  const byName = JSON.parse(keys) as Record<string, string>;
  return byName.default ?? Object.values(byName)[0];
}

/** A required setting. Throws a SafeError with its name when it is not set. */
export function required(environment: Environment, name: string): string {
  const value = environment(name);
  if (value === undefined || value === "") throw new SafeError(`${name} is not set`);
  return value;
}
