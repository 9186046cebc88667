import { alternatives } from "./entry.ts";

/** The most characters of a text that are read. A body states its error near the beginning, before the rest of a page or a request. */
export const READ_CHARACTERS = 32_768;

/** Returns whether one request asks for more than the whole limit: "Limit 5000, Used 0, Requested 6053". */
export function isLargerThanLimit(text: string): boolean {
  const [, limit, requested] =
    /\blimit:? (\d{1,9}),? used:? \d{1,9},? requested:? ~?(\d{1,9})/i.exec(
      text.replaceAll(/(\d),(?=\d{3})/g, "$1"),
    ) ?? [];
  return requested !== undefined && Number(requested) > Number(limit);
}

/** The most characters of an answer's identifiers that are read. */
const MAX_NAMED = 600;

/**
 * Returns the words of identifiers in any style: "RateLimitExceeded", "RATE_LIMIT-EXCEEDED" and
 * "https://x.example/errors#rate.limit.exceeded" become "rate limit exceeded". " | " separates the identifiers.
 */
export function wordsOf(identifiers: Iterable<string>): string {
  let all = "";
  for (const identifier of identifiers) {
    if (all.length > MAX_NAMED) break;
    all += `${all === "" ? "" : " | "}${wordsIn(identifier)}`;
  }
  return all;
}

function wordsIn(identifier: string): string {
  const bare = /^https?:/i.test(identifier) ? identifier.replace(/^.*[/#](?=.)/, "") : identifier;
  return bare
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .replace(/[_.:/@#\s-]+/g, " ")
    .toLowerCase();
}

/**
 * The names that callers report instead of a status, in their original spelling, by the HTTP
 * status with the same meaning. The names under 408 are reasons why no answer of the provider arrived.
 */
const SPELLED: Record<number, readonly string[]> = {
  400: alternatives(`
    FAILED_PRECONDITION | OUT_OF_RANGE | invalid_request_error | InvalidRequestError | BadRequestException |
    ContextWindowExceededError | context_length_exceeded | content_filter | InvalidArgument | content_policy_violation |
    content_filter_error | UnsupportedParamsError | string_above_max_length | HTTP400
  `),
  401: alternatives(`
    authentication_error | Unauthorized | Unauthenticated
  `),
  402: alternatives(`
    billing_error | payment_required | InsufficientBalanceError
  `),
  403: alternatives(`
    permission_error | Forbidden | ForbiddenError | PermissionDenied
  `),
  404: alternatives(`
    ResourceNotFoundException | model_not_found | NotFound
  `),
  408: alternatives(`
    TIMEDOUT | DEADLINE_EXCEEDED | CANCELLED | CANCELED | ABORT | ETIMEDOUT | ECONNRESET | ECONNREFUSED | ECONNABORTED |
    EHOSTUNREACH | ENETUNREACH | ENOTFOUND | EAI_AGAIN | EPIPE | ENETDOWN | EHOSTDOWN | EAI_FAIL | EAI_NODATA | ERR_NETWORK |
    ERR_CANCELED | ESOCKETTIMEDOUT | EPROTO | ERR_STREAM_PREMATURE_CLOSE | ERR_SOCKET_CONNECTION_TIMEOUT | ERR_HTTP2_STREAM_ERROR |
    ERR_HTTP2_GOAWAY_SESSION | ERR_HTTP2_STREAM_CANCEL | CERT_HAS_EXPIRED | DEPTH_ZERO_SELF_SIGNED_CERT |
    SELF_SIGNED_CERT_IN_CHAIN | UNABLE_TO_VERIFY_LEAF_SIGNATURE | UNABLE_TO_GET_ISSUER_CERT_LOCALLY | ERR_TLS_CERT_ALTNAME_INVALID |
    ERR_ABORTED | ERR_CONNECTION_RESET | ERR_CONNECTION_REFUSED | ERR_CONNECTION_CLOSED | ERR_NAME_NOT_RESOLVED | ERR_TIMED_OUT |
    ERR_INTERNET_DISCONNECTED | ERR_CONNECTION_TIMED_OUT | ERR_NETWORK_CHANGED | ERR_EMPTY_RESPONSE | UND_ERR_SOCKET |
    UND_ERR_CONNECT_TIMEOUT | UND_ERR_HEADERS_TIMEOUT | UND_ERR_BODY_TIMEOUT | UND_ERR_ABORTED | UND_ERR_CLOSED |
    UND_ERR_DESTROYED | UND_ERR_RESPONSE | UND_ERR_RES_EXCEEDED_MAX_SIZE | UND_ERR_INFO | HeadersTimeoutError | BodyTimeoutError |
    RequestAbortedError | ResponseAborted | AbortError | NetworkError | FetchError | Failed_to_fetch | TypeError |
    APIConnectionError | APIConnectionTimeoutError | APITimeoutError | APIUserAbortError | Timeout | OpenAITimeoutError |
    ConnectionError | InternalConnectionError | RequestTimeout | ModelTimeoutException | EndpointConnectionError |
    ConnectionClosedError | ReadTimeout | WriteTimeout | PoolTimeout | ReadError | WriteError | CloseError | RemoteProtocolError |
    LocalProtocolError | ProxyError | SSLError | ConnectionResetError | ConnectionRefusedError | ConnectionAbortedError |
    BrokenPipeError | ChunkedEncodingError | IncompleteRead | RemoteDisconnected | MaxRetryError | NewConnectionError |
    NameResolutionError | ProtocolError | ServerDisconnectedError | ClientConnectorError | ClientOSError | ClientPayloadError |
    ServerTimeoutError | CancelledError | TransportError | ClientConnectionError | ClientConnectorDNSError |
    ClientConnectorCertificateError | gaierror | URLError | SSLEOFError | SocketTimeoutException | ConnectException |
    SocketException | UnknownHostException | SSLHandshakeException | HttpTimeoutException | HttpConnectTimeoutException |
    InterruptedIOException | NoHttpResponseException | context_deadline_exceeded | context_canceled | i/o_timeout |
    TaskCanceledException | OperationCanceledException | HttpRequestException | ConnectTimeoutException | TimeoutException |
    IOException | StreamResetException | EOF
  `),
  409: alternatives("ALREADY_EXISTS | ABORTED | ConflictException"),
  413: alternatives("RequestTooLargeError"),
  422: alternatives("UnprocessableEntity | validation_error"),
  429: alternatives(`
    rate_limit_error | RateLimitExceeded | rate_limited | too_many_requests | ResourceExhausted | Throttling |
    LimitExceededException | RateLimitReached | requests_limit_reached | tokens_limit_reached | throttled |
    ProvisionedThroughputExceededException
  `),
  500: alternatives(`
    INTERNAL | DATA_LOSS | server_error | APIError | InternalServerException | InternalFailure | ModelErrorException |
    ModelStreamErrorException | internal_error
  `),
  501: ["UNIMPLEMENTED"],
  502: ["BadGatewayError", "bad_gateway"],
  503: alternatives(`
    UNAVAILABLE | service_unavailable | ModelNotReadyException | engine_overloaded
  `),
  504: ["GatewayTimeout", "gateway_timeout"],
  529: ["overloaded_error", "OverloadedError"],
};

/** Python's file errors. `nameOf` ignores them, because the caller's process raises them, never a provider. */
const OF_FILES: ReadonlySet<string> = new Set(["PermissionError", "FileNotFoundError", "IsADirectoryError"]);

/** Returns a name without the endings that languages add: "UnauthorizedException" and "unauthorized_error" become "unauthorized". */
function nameKey(name: string): string {
  return name
    .toLowerCase()
    .replace(/[_-]/g, "")
    .replace(/(?:error|exception)$/, "");
}

/** For the nameKey of each known name: the status with the same meaning, and the name in its original spelling. */
const NAMES: ReadonlyMap<string, { status: number; spelled: string }> = new Map(
  Object.entries(SPELLED).flatMap(([status, names]) =>
    names.map((spelled) => [nameKey(spelled), { status: Number(status), spelled }] as const),
  ),
);

/** Returns the status and the original spelling of a known name. */
export function nameOf(word: string): { status: number; spelled: string } | undefined {
  // "API" alone is usually the first word of a sentence, not the known name APIError without its ending.
  return OF_FILES.has(word) || /^api$/i.test(word) ? undefined : NAMES.get(nameKey(word));
}

/** The code at the beginning of `error_code`. Only this code is the caller's statement; the text after it is read like the message. */
interface LeadingCode {
  /** The HTTP status, or the status of a known name; 0 when it is neither. */
  status: number;
  /** An identifier in lower case ("rate_limit_error"), whether known or not; null for a number. */
  name: string | null;
  /** The identifier in its original spelling, if it is neither a known name nor the class of an exception. */
  unknown: string | null;
  /** The code for the log: a number of up to five digits or a known name, never free text. */
  code: string | null;
  /** The text after the code; the whole text if the code is an identifier that is not known. */
  rest: string;
}

/** Reads `429`, `"429 Too Many Requests"`, `"[RESOURCE_EXHAUSTED] slow down"`, `"openai.RateLimitError"`. Never throws. */
export function leadingCode(errorCode: number | string | null): LeadingCode {
  const text = String(errorCode ?? "").slice(0, READ_CHARACTERS);
  // The text may be the reason phrase of a status: "Too Many Requests".
  const phrase =
    text.length <= 40 && /^[a-z]+(?: [a-z]+){1,3}$/i.test(text)
      ? nameOf(text.replaceAll(" ", ""))
      : undefined;
  if (phrase !== undefined) {
    const { status, spelled } = phrase;
    return { status, name: spelled.toLowerCase(), unknown: null, code: spelled, rest: "" };
  }
  const match = /^\s*(?:\[\s*)?(-?\w{1,80}(?:[.:]\w{1,80}){0,6})/.exec(text);
  if (match === null) return { status: 0, name: null, unknown: null, code: null, rest: text };
  const rest = text.slice(match[0].length);
  // Callers may write a whole number as a float: "429.0".
  const token = (match[1] ?? "").replace(/\.0{1,9}$/, "");
  if (/^-?\d/.test(token)) {
    const status = /^[1-5]\d\d$/.test(token) ? Number(token) : 0;
    return { status, name: null, unknown: null, code: /^\d{1,5}$/.test(token) ? token : null, rest };
  }
  const known = knownName(token);
  return {
    status: known?.status ?? 0,
    name: (known?.spelled ?? token).toLowerCase(),
    unknown: known === undefined && !/(?:Error|Exception)$/.test(token) ? token : null,
    code: known?.spelled ?? null,
    rest: known === undefined ? text : rest,
  };
}

/** Returns the known name that a token is or ends with ("openai.RateLimitError", "java.net.SocketTimeoutException"). */
export function knownName(token: string) {
  const bare = token.slice(Math.max(token.lastIndexOf("."), token.lastIndexOf(":")) + 1);
  return nameOf(token) ?? nameOf(bare);
}
