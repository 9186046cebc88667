import { alternatives } from "./phrases.ts";

/**
 * The names that callers report instead of a status, in their original spelling, by the HTTP
 * status with the same meaning. 408 stands for every reason why no answer of the provider arrived.
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

/** Python's own file errors. The caller's process raises them, never a provider. */
const OF_FILES: ReadonlySet<string> = new Set(["PermissionError", "FileNotFoundError", "IsADirectoryError"]);

/** Returns a name without the endings that languages add: "UnauthorizedException", "unauthorized_error" and "Unauthorized" have one key. */
function nameKey(name: string): string {
  return name
    .toLowerCase()
    .replace(/[_-]/g, "")
    .replace(/(?:error|exception)$/, "");
}

/** The status that a name stands for, and its original spelling, by nameKey. */
const NAMES: ReadonlyMap<string, { status: number; spelled: string }> = new Map(
  Object.entries(SPELLED).flatMap(([status, names]) =>
    names.map((spelled) => [nameKey(spelled), { status: Number(status), spelled }] as const),
  ),
);

/** Returns the status and the original spelling of a known name. */
export function nameOf(word: string): { status: number; spelled: string } | undefined {
  // "API" alone is usually the first word of a sentence.
  return OF_FILES.has(word) || /^api$/i.test(word) ? undefined : NAMES.get(nameKey(word));
}
