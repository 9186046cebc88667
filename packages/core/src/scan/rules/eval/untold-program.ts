import { options, UNKNOWN } from "../../interpreter/value.ts";
import { reachOf } from "../common/address.ts";
import type { Rule } from "../rule.ts";

const CALLS = new Set([
  "import",
  "importScripts",
  "require",
  "Worker",
  "SharedWorker",
  "navigator.serviceWorker.register",
]);

/** A program is loaded and run whose address the file does not tell. */
export const untoldProgram: Rule = {
  id: "eval",
  severity: "low",
  calls: (path) => CALLS.has(path),
  onCall({ report }, { args, node }) {
    const address = args[0] ?? UNKNOWN;
    if (reachOf(address) === "unknown" && options(address).every(({ kind }) => kind !== "host"))
      report("eval", "low", node);
  },
};
