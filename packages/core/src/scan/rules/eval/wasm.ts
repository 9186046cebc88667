import { taintOf } from "../../interpreter/text/text.ts";
import { DECODED, HIDDEN, options, UNKNOWN } from "../../interpreter/value.ts";
import type { Rule } from "../rule.ts";

/** Calls that take a program in bytes. */
const CALLS = new Set(["WebAssembly.instantiate", "WebAssembly.compile", "WebAssembly.Module"]);

/** A program in bytes that the file builds; a fetched program is no more hidden than any other file of a site. */
export const wasm: Rule = {
  id: "eval",
  severity: "high",
  calls: (path) => CALLS.has(path),
  onCall(context, { args, node }) {
    const made = options(args[0] ?? UNKNOWN).some(
      (option) =>
        option.kind === "list" ||
        (option.kind === "host" && option.path.startsWith("Uint8Array()")) ||
        (taintOf(option) & (HIDDEN | DECODED)) !== 0,
    );
    if (made) context.report("eval", "high", node);
  },
};
