interface Details {
  code: string;
  provider?: string | undefined;
  status?: number | undefined;
  requestId?: string | undefined;
}

/** The errors of this client. They never contain a key or a token. */
export class KeyhubError extends Error {
  override name = "KeyhubError";
  /** A stable code of the service or of this client (docs/api/client.md), by which a program tells errors apart. */
  readonly code: string;
  readonly provider: string | undefined;
  /** HTTP status of the service's answer, if there was one. */
  readonly status: number | undefined;
  /** The service's id of the request, by which the operator finds it in the log. */
  readonly requestId: string | undefined;

  constructor(message: string, { code, provider, status, requestId }: Details) {
    super(requestId === undefined ? message : `${message} (request ${requestId})`);
    this.code = code;
    this.provider = provider;
    this.status = status;
    this.requestId = requestId;
  }
}

interface KeyCounts {
  cooling_down: number;
  limited: number;
  disabled: number;
}

/** No key can be leased: every key cools down for longer than maxWait, or no key is usable. */
export class NoKeyError extends KeyhubError {
  override name = "NoKeyError";
  /** Seconds after which a key is ready; null when waiting cannot help. */
  readonly retryAfter: number | null;
  /** The numbers of keys that cannot be leased, by cause; `limited` counts keys that are only blocked for the requested model. */
  readonly counts: KeyCounts | undefined;
  /** The providers for which the pool has keys, when the pool has no key for the requested provider. */
  readonly providers: string[] | undefined;

  constructor(
    message: string,
    details: Details & {
      retryAfter: number | null;
      counts?: KeyCounts | undefined;
      providers?: string[] | undefined;
    },
  ) {
    super(message, details);
    this.retryAfter = details.retryAfter;
    this.counts = details.counts;
    this.providers = details.providers;
  }
}

/** The key service did not answer, or its answer was a server error or not understood. */
export class KeyhubUnavailableError extends KeyhubError {
  override name = "KeyhubUnavailableError";
}

/** Something is wrong with the settings or the request, so a retry does not help. */
export class KeyhubRequestError extends KeyhubError {
  override name = "KeyhubRequestError";
}
