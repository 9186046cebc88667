import type { Caller } from "../_shared/caller.ts";
import type { LeasedKey } from "../_shared/lease.ts";

/** A leased key. Printing or stringifying this object does not show the key. */
export class HeldKey {
  readonly caller: Caller;
  readonly leaseId: string;
  readonly keyId: string;
  /** The provider in the key's row, or else the requested one. */
  readonly provider: string;
  readonly #key: string;

  constructor(caller: Caller, provider: string, { lease_id, key_id, provider: own }: LeasedKey, key: string) {
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
