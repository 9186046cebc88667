import type { Caller } from "../_shared/caller.ts";
import type { Lease } from "../_shared/lease.ts";

/** A leased key. It is not in what is printed or stringified of it. */
export class HeldKey {
  readonly caller: Caller;
  readonly leaseId: string;
  readonly keyId: string;
  /** Whose answers the key's calls get: the one that the operator wrote, else the one that was asked for. */
  readonly provider: string;
  readonly #key: string;

  constructor(caller: Caller, provider: string, { lease_id, key_id, provider: own }: Lease, key: string) {
    this.caller = caller;
    this.leaseId = lease_id;
    this.keyId = key_id;
    this.provider = own ?? provider;
    this.#key = key;
  }

  get key(): string {
    return this.#key;
  }
}
