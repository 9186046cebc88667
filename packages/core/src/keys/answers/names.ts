import { words } from "./words.ts";

/**
 * Names that callers report in place of a status, in their original spelling, by the HTTP status of the same meaning. 408
 * stands for everything that kept the provider's answer from arriving.
 */
const SPELLED: Record<number, readonly string[]> = {
  400: words(`
    INVALID_ARGUMENT | FAILED_PRECONDITION | OUT_OF_RANGE | BadRequestError | invalid_request_error |
    InvalidRequestError | ValidationException | BadRequestException | ContextWindowExceededError |
    context_length_exceeded | ContentPolicyViolationError | content_filter | InvalidArgument |
    content_policy_violation | content_filter_error | UnsupportedParamsError | string_above_max_length |
    HTTP400
  `),
  401: words(`
    UNAUTHENTICATED | AuthenticationError | authentication_error | UnauthorizedError | Unauthorized |
    Unauthenticated
  `),
  402: words(`
    billing_error | PaymentRequiredError | PaymentRequired | payment_required |
    InsufficientBalanceError
  `),
  403: words(`
    PERMISSION_DENIED | PermissionDeniedError | permission_error | Forbidden | ForbiddenError |
    PermissionDenied
  `),
  404: words(`
    NOT_FOUND | NotFoundError | not_found_error | ResourceNotFoundException | model_not_found |
    NotFound
  `),
  408: words(`
    TIMEOUT | TIMED_OUT | TIMEDOUT | DEADLINE_EXCEEDED | NETWORK | NETWORK_ERROR | CANCELLED |
    CANCELED | ABORT | ETIMEDOUT | ECONNRESET | ECONNREFUSED | ECONNABORTED | EHOSTUNREACH |
    ENETUNREACH | ENOTFOUND | EAI_AGAIN | EPIPE | ENETDOWN | EHOSTDOWN | EAI_FAIL | EAI_NODATA |
    ERR_NETWORK | ERR_CANCELED | ESOCKETTIMEDOUT | EPROTO | ERR_STREAM_PREMATURE_CLOSE |
    ERR_SOCKET_CONNECTION_TIMEOUT | ERR_HTTP2_STREAM_ERROR | ERR_HTTP2_GOAWAY_SESSION |
    ERR_HTTP2_STREAM_CANCEL | CERT_HAS_EXPIRED | DEPTH_ZERO_SELF_SIGNED_CERT |
    SELF_SIGNED_CERT_IN_CHAIN | UNABLE_TO_VERIFY_LEAF_SIGNATURE | UNABLE_TO_GET_ISSUER_CERT_LOCALLY |
    ERR_TLS_CERT_ALTNAME_INVALID | ERR_ABORTED | ERR_CONNECTION_RESET | ERR_CONNECTION_REFUSED |
    ERR_CONNECTION_CLOSED | ERR_NAME_NOT_RESOLVED | ERR_TIMED_OUT | ERR_INTERNET_DISCONNECTED |
    ERR_CONNECTION_TIMED_OUT | ERR_NETWORK_CHANGED | ERR_EMPTY_RESPONSE | UND_ERR_SOCKET |
    UND_ERR_CONNECT_TIMEOUT | UND_ERR_HEADERS_TIMEOUT | UND_ERR_BODY_TIMEOUT | UND_ERR_ABORTED |
    UND_ERR_CLOSED | UND_ERR_DESTROYED | UND_ERR_RESPONSE | UND_ERR_RES_EXCEEDED_MAX_SIZE |
    UND_ERR_INFO | SocketError | HeadersTimeoutError | BodyTimeoutError | RequestAbortedError |
    ConnectTimeoutError | ResponseAborted | AbortError | TimeoutError | NetworkError | FetchError |
    Failed_to_fetch | TypeError | APIConnectionError | APIConnectionTimeoutError | APITimeoutError |
    APIUserAbortError | RequestTimeoutError | Timeout | OpenAITimeoutError | ConnectionError |
    InternalConnectionError | timeout_error | request_timeout | RequestTimeout | ModelTimeoutException |
    EndpointConnectionError | ReadTimeoutError | ConnectionClosedError | ReadTimeout | ConnectTimeout |
    WriteTimeout | PoolTimeout | ConnectError | ReadError | WriteError | CloseError |
    RemoteProtocolError | LocalProtocolError | ProxyError | SSLError | ConnectionResetError |
    ConnectionRefusedError | ConnectionAbortedError | BrokenPipeError | ChunkedEncodingError |
    IncompleteRead | RemoteDisconnected | MaxRetryError | NewConnectionError | NameResolutionError |
    ProtocolError | ServerDisconnectedError | ClientConnectorError | ClientOSError |
    ClientPayloadError | ServerTimeoutError | SocketTimeout | CancelledError | TransportError |
    ClientConnectionError | ClientConnectorDNSError | ClientConnectorCertificateError | gaierror |
    URLError | SSLEOFError | SocketTimeoutException | ConnectException | SocketException |
    UnknownHostException | SSLHandshakeException | HttpTimeoutException | HttpConnectTimeoutException |
    InterruptedIOException | NoHttpResponseException | EOFException | context_deadline_exceeded |
    context_canceled | i/o_timeout | TaskCanceledException | OperationCanceledException |
    HttpRequestException | ConnectTimeoutException | TimeoutException | IOException |
    StreamResetException | EOF
  `),
  409: words("ALREADY_EXISTS | ABORTED | ConflictError | ConflictException"),
  413: words("request_too_large | RequestTooLargeError"),
  422: words("UnprocessableEntityError | UnprocessableEntity | validation_error"),
  429: words(`
    RESOURCE_EXHAUSTED | RateLimitError | rate_limit_error | rate_limit_exceeded | RateLimitExceeded |
    rate_limited | TooManyRequests | TooManyRequestsError | TooManyRequestsException |
    too_many_requests | ThrottlingException | ResourceExhausted | Throttling | ThrottledException |
    rate_limit_reached_error | LimitExceededException | RateLimitReached | requests_limit_reached |
    tokens_limit_reached | throttled | ProvisionedThroughputExceededException
  `),
  500: words(`
    INTERNAL | DATA_LOSS | InternalServerError | internal_server_error | api_error | server_error |
    APIError | InternalServerException | InternalFailure | ModelErrorException |
    ModelStreamErrorException | internal_error
  `),
  501: ["UNIMPLEMENTED"],
  502: ["BadGatewayError", "bad_gateway"],
  503: words(`
    UNAVAILABLE | ServiceUnavailable | ServiceUnavailableError | ServiceUnavailableException |
    service_unavailable | ModelNotReadyException | engine_overloaded_error | engine_overloaded
  `),
  504: ["GatewayTimeout", "gateway_timeout"],
  529: ["overloaded_error", "OverloadedError"],
};

/** Python's own file errors, which the caller's process raises, never a provider. */
const OF_FILES: ReadonlySet<string> = new Set(["PermissionError", "FileNotFoundError", "IsADirectoryError"]);

/** A name without the additions of languages: "UnauthorizedException", "unauthorized_error" and "Unauthorized" have one key. */
function nameKey(name: string): string {
  return name
    .toLowerCase()
    .replace(/[_-]/g, "")
    .replace(/(?:error|exception)$/, "");
}

/** By nameKey: the status that a name stands for, and its original spelling. */
const NAMES: ReadonlyMap<string, { status: number; spelled: string }> = new Map(
  Object.entries(SPELLED).flatMap(([status, names]) =>
    names.map((spelled) => [nameKey(spelled), { status: Number(status), spelled }] as const),
  ),
);

/** The known name for a word: its status, and its original spelling. */
export function nameOf(word: string): { status: number; spelled: string } | undefined {
  // "API" alone is the beginning of a sentence.
  return OF_FILES.has(word) || /^api$/i.test(word) ? undefined : NAMES.get(nameKey(word));
}
