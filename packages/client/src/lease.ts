/** A lease, as get-active-key returns it. */
export interface LeaseData {
  lease_id: string;
  key_id: string;
  key_name: string;
  provider: string | null;
  api_key: string;
  priority: number;
  leased_at: string;
  settings: Record<string, string>;
}

/** A leased key. Printing or stringifying the object does not show the key. */
export class Leased {
  readonly leaseId: string;
  readonly keyId: string;
  readonly keyName: string;
  /** The provider that the request names. */
  readonly provider: string;
  /** Settings that the operator stored with the key: base_url, organization, project. */
  readonly settings: Readonly<Record<string, string>>;
  /** Whether the key is a fallback, not a lease of the service: a fallback is not reported, and no other key is tried after it. */
  readonly last: boolean;
  readonly #key: string;

  constructor(
    provider: string,
    data: Pick<LeaseData, "lease_id" | "key_id" | "key_name" | "settings" | "api_key">,
    last = false,
  ) {
    this.provider = provider;
    this.leaseId = data.lease_id;
    this.keyId = data.key_id;
    this.keyName = data.key_name;
    this.settings = data.settings;
    this.last = last;
    this.#key = data.api_key;
  }

  get key(): string {
    return this.#key;
  }

  /** Returns another object for the same lease, for one more use of it. */
  copy(): Leased {
    const { leaseId: lease_id, keyId: key_id, keyName: key_name, settings } = this;
    return new Leased(this.provider, { lease_id, key_id, key_name, settings, api_key: this.#key }, this.last);
  }
}
