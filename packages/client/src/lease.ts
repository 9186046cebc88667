/** What get-active-key answers: a lease. */
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

/** A key in somebody's hands. It is not in what is printed or stringified of it. */
export class Leased {
  readonly leaseId: string;
  readonly keyId: string;
  readonly keyName: string;
  /** The one that was asked for. */
  readonly provider: string;
  /** What the operator has given with the key: base_url, organization, project. */
  readonly settings: Readonly<Record<string, string>>;
  /** A fallback: no lease of the service, so nothing is reported of it and no other key follows it. */
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

  /** Another object of the same lease, for one more use of it. */
  copy(): Leased {
    const { leaseId: lease_id, keyId: key_id, keyName: key_name, settings } = this;
    return new Leased(this.provider, { lease_id, key_id, key_name, settings, api_key: this.#key }, this.last);
  }
}
