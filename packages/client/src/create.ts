import { modelName } from "@keyhub/core/rotate";
import { HeldLease } from "./held-lease.ts";
import { createLeaseManager, fullBudget } from "./lease-manager.ts";
import { type CallOptions, type FetchOptions, type KeyhubOptions, readOptions } from "./options.ts";
import type { Lease } from "./public-lease.ts";
import { rotatingFetch } from "./rotating-fetch.ts";
import { connectService } from "./service.ts";
import { withKey } from "./with-key.ts";

export interface Keyhub {
  /** Returns a fetch for any SDK. It sends each request with a key of this provider. */
  fetch(provider: string, options?: FetchOptions): typeof fetch;
  /** Calls `work` with a key, for calls that do not use fetch. May call `work` again with another key. */
  withKey<T>(
    provider: string,
    work: (key: string, lease: Lease) => T | Promise<T>,
    options?: CallOptions,
  ): Promise<T>;
  /** Leases one key, without rotation: `await using lease = await keyhub.lease("openai")`. */
  lease(provider: string, options?: CallOptions): Promise<Lease>;
  /** Resolves when each report made so far has been accepted by the service, or is lost. Call `flush` before the process ends. */
  flush(): Promise<void>;
}

export function createKeyhub(options: KeyhubOptions = {}): Keyhub {
  const settings = readOptions(options);
  const leaseManager = createLeaseManager(settings, connectService(settings));
  return {
    fetch: (provider, fetchOptions = {}) => rotatingFetch(provider, settings, leaseManager, fetchOptions),
    withKey: (provider, work, callOptions = {}) =>
      withKey(provider, work, settings, leaseManager, callOptions),
    lease: async (provider, { model, signal } = {}) => {
      const leased = await leaseManager.lease(
        provider,
        model === undefined ? null : modelName(model),
        { exclude: [], budget: fullBudget(settings), signal },
        1,
      );
      return new HeldLease(leased, (report) => void leaseManager.report(leased, report));
    },
    flush: () => leaseManager.flush(),
  };
}
