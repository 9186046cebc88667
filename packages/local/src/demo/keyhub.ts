/** The answer of get-active-key, as far as the demo reads it. */
export interface Lease {
  lease_id: string;
  key_id: string;
  key_name: string;
  api_key: string;
  /** The database's clock, ISO 8601 with microseconds. */
  leased_at: string;
}

/** The answer of set-key-state. */
export interface Reported {
  key_id: string;
  state: "available" | "cooling_down" | "disabled";
  blocked_until: string | null;
  effect: string;
}
