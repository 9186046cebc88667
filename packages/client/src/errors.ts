interface Details {
  code: string;
  provider?: string | undefined;
  status?: number | undefined;
  requestId?: string | undefined;
}

/** Every error of this client's own. It never holds a key or a token. */
export class KeyhubError extends Error {
  override name = "KeyhubError";
  /** A stable word: the service's code, or one of this client's (docs/api/client.md). */
  readonly code: string;
  readonly provider: string | undefined;
  /** HTTP status of the service's answer, where there was one. */
  readonly status: number | undefined;
  /** The service's, for its operator's log. */
  readonly requestId: string | undefined;

  constructor(message: string, { code, provider, status, requestId }: Details) {
    super(requestId === undefined ? message : `${message} (request ${requestId})`);
    this.code = code;
    this.provider = provider;
    this.status = status;
    this.requestId = requestId;
  }
}

/** There is no key to be had: all cool for longer than maxWait, or none is usable. */
export class NoKeyError extends KeyhubError {
  override name = "NoKeyError";
  /** Seconds after which a key is ready; null when waiting cannot help. */
  readonly retryAfter: number | null;
  readonly counts: { cooling_down: number; disabled: number } | undefined;
  /** The providers that the pool has keys of, when it has none of the one asked for. */
  readonly providers: string[] | undefined;

  constructor(
    message: string,
    details: Details & {
      retryAfter: number | null;
      counts?: { cooling_down: number; disabled: number } | undefined;
      providers?: string[] | undefined;
    },
  ) {
    super(message, details);
    this.retryAfter = details.retryAfter;
    this.counts = details.counts;
    this.providers = details.providers;
  }
}

/** The key service gave no answer, or one of a service that is not well. */
export class KeyhubUnavailableError extends KeyhubError {
  override name = "KeyhubUnavailableError";
}

/** Something is wrong with the settings or the request, so that asking again does not help. */
export class KeyhubRequestError extends KeyhubError {
  override name = "KeyhubRequestError";
}
