import { host, type Value } from "../value.ts";

/** The members that every object has. */
export function builtIn(object: Value, key: string): Value {
  if (key === "constructor") return host("Object");
  return key === "__proto__" ? host("Object.prototype") : { kind: "method", of: object, name: key };
}
