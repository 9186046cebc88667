import type { Caller } from "../_shared/caller.ts";
import type { LeasedKey } from "../_shared/lease.ts";

/** A leased key. Printing or stringifying this object does not show the key. */
export class HeldKey {
  readonly caller: Caller;
  readonly leaseId: string;
  readonly keyId: string;
  readonly #key: string;

  constructor(caller: Caller, { lease_id, key_id }: LeasedKey, key: string) {
    this.caller = caller;
    this.leaseId = lease_id;
    this.keyId = key_id;
    this.#key = key;
  }

  get key(): string {
    return this.#key;
  }
}
