import { KEPT_BYTES } from "@keyhub/core/rotate";
import type { Environment } from "../_shared/database.ts";
import { SafeError } from "../_shared/log.ts";

/** The default wait for a provider's first byte. The platform ends a request after 150 s; the gateway must report the lease before that. */
const FIRST_BYTE_SECONDS = 115;

/** Returns the limits of the gateway (docs/api/gateway.md). Times are in milliseconds. */
export function readLimits(environment: Environment) {
  const seconds = Number(environment("KEYHUB_FIRST_BYTE_SECONDS") || FIRST_BYTE_SECONDS);
  if (!(seconds > 0)) throw new SafeError("KEYHUB_FIRST_BYTE_SECONDS is not a number of seconds");
  return {
    limits: { bufferBytes: KEPT_BYTES, maxBytes: 20 * 1024 * 1024 },
    maxAttempts: 3,
    maxWait: 30_000,
    firstByteTimeout: seconds * 1_000,
  };
}
