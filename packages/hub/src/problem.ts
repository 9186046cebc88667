import { type Fault, isProblemCode, type ProblemCode, problems } from "@keyhub/core/problem";

export type { Fault };

/** Codes that this client makes itself, for errors that do not come from the hub. */
export type ClientCode =
  | "permission_denied"
  | "invalid_request"
  | "conflict"
  | "network"
  | "timeout"
  | "aborted"
  | "not_understood";

/** An error, in the same form for every part of the system. A program tells errors apart by `code`. */
export interface HubProblem {
  /** A code of docs/api/errors.md, a code of this client, or auth's own `error_code`. */
  code: ProblemCode | ClientCode | (string & {});
  /** HTTP status; 0 when there was no answer. */
  status: number;
  /** A short text for people. */
  title: string;
  /** A text for people: what the caller can do about the error. */
  detail: string | null;
  /** Every fault of the request, with its field. */
  errors: Fault[];
  /** The id by which the operator finds the request in the log. */
  requestId?: string;
  /** Seconds after which a retry may succeed. */
  retryAfter?: number;
  /** Other members of the problem: `findings` and `scan_token`, `limit`, `asset`. */
  more: Record<string, unknown>;
}

const TITLES: Record<ClientCode, [number, string]> = {
  permission_denied: [403, "The caller may not do this"],
  invalid_request: [400, "The service does not accept this request"],
  conflict: [409, "This conflicts with existing data"],
  network: [0, "The service could not be reached"],
  timeout: [0, "The service did not answer in time"],
  aborted: [0, "The call was aborted"],
  not_understood: [0, "The answer did not come from the service"],
};

/**
 * Returns the problem for an error of PostgREST, of a function, of auth, of the network, or of this client. Takes
 * the `error` of supabase-js, its whole answer `{ error, status }`, or a Response, whose body is read from a copy.
 */
export async function problemOf(error: unknown): Promise<HubProblem> {
  const { error: inner, status } = Object(error);
  if (typeof inner === "object" && inner !== null && typeof status === "number")
    return problemFrom(inner, status);
  return problemFrom(error, 0);
}

export async function problemFrom(error: unknown, status: number): Promise<HubProblem> {
  if (error instanceof Response) return problemOfResponse(error);
  const { context, name, problem } = Object(error);
  if (isProblem(problem)) return problem;
  if (context instanceof Response) return problemOfResponse(context);
  if (name === "FunctionsFetchError") return problemOfFailure(context);
  return problemOfObject(Object(error), status, error);
}

async function problemOfResponse(response: Response): Promise<HubProblem> {
  const body = parsed(
    response.bodyUsed
      ? ""
      : await response
          .clone()
          .text()
          .catch(() => ""),
  );
  const found = problemOfObject(body, response.status, body);
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  const requestId = response.headers.get("x-request-id");
  return {
    ...(requestId !== null && { requestId }),
    ...(Number.isFinite(seconds) && { retryAfter: seconds }),
    ...found,
  };
}

type Body = Record<string, unknown>;

function problemOfObject(body: Body, status: number, error: unknown): HubProblem {
  const { code, message, msg, error_code: authCode, name } = body;
  if (typeof body.type === "string" && isProblemCode(code)) return ofHub(code, body);
  // Keyhub's SQL raises a stable code as the message, and PostgREST passes the message on.
  if (typeof code === "string" && /^PT\d{3}$/.test(code) && typeof message === "string") {
    const { errors, retry_after, ...more } = parsed(body.details);
    return ofHub(message, { ...more, errors, retry_after, status: Number(code.slice(2)) });
  }
  if (typeof code === "string" && (/^PGRST/.test(code) || /^[0-9A-Z]{5}$/.test(code)))
    return ofDatabase(code, status, String(message ?? ""));
  if (typeof authCode === "string") return plain(authCode, status || Number(code), String(msg ?? authCode));
  if (isAuth(name) && (typeof code === "string" || Number(body.status) > 0)) {
    const own = typeof code === "string" ? code : "not_understood";
    return plain(own, Number(body.status) || 400, String(message ?? own));
  }
  if (status >= 500) return ofHub(status === 500 ? "internal_error" : "unavailable", { status });
  if (status > 0) return plain("not_understood", status, TITLES.not_understood[1]);
  return problemOfFailure(error);
}

function isAuth(name: unknown): boolean {
  return typeof name === "string" && /^Auth\w*Error$/.test(name) && name !== "AuthRetryableFetchError";
}

/** Returns the problem of a call without an answer, from the error that fetch threw or that a client made of it. */
function problemOfFailure(error: unknown): HubProblem {
  const { name, message } = Object(error);
  const said = `${String(name)} ${String(message)}`;
  if (/TimeoutError/.test(said)) return ofClient("timeout");
  if (/AbortError/.test(said)) return ofClient("aborted");
  if (typeof message !== "string") return ofClient("not_understood");
  return ofClient("network", message === "" ? null : message);
}

/** Returns the problem of a refusal with one of the hub's codes. A code that this version does not know stays unchanged. */
function ofHub(code: string, body: Body): HubProblem {
  const { type: _, title, status, detail, code: __, errors, request_id, retry_after, ...more } = body;
  const known = isProblemCode(code) ? problems[code] : undefined;
  return {
    code,
    status: typeof status === "number" ? status : (known?.status ?? 0),
    title: typeof title === "string" ? title : (known?.title ?? code.replaceAll("_", " ")),
    detail:
      typeof detail === "string" ? detail : known !== undefined && "detail" in known ? known.detail : null,
    errors: Array.isArray(errors) ? errors : [],
    ...(typeof request_id === "string" && { requestId: request_id }),
    ...(typeof retry_after === "number" && { retryAfter: retry_after }),
    more,
  };
}

/** Returns the problem of a refusal by the database or PostgREST itself. */
function ofDatabase(code: string, status: number, message: string): HubProblem {
  if (code === "42501") return { ...ofClient("permission_denied"), status: status || 403 };
  if (/^PGRST30/.test(code)) return ofHub("invalid_credential", {});
  if (code === "PGRST116") return ofHub("not_found", {});
  if (/^(PGRST00|08|40|53|55P03|57)/.test(code)) return ofHub("unavailable", {});
  if (/^23(503|505)/.test(code)) return ofClient("conflict", message);
  if (status >= 500 || /^(XX|58|P0)/.test(code)) return ofHub("internal_error", { status: status || 500 });
  return { ...ofClient("invalid_request", message), status: status || 400 };
}

function ofClient(code: ClientCode, detail: string | null = null): HubProblem {
  const [status, title] = TITLES[code];
  return { code, status, title, detail, errors: [], more: {} };
}

function plain(code: string, status: number, title: string): HubProblem {
  return { code, status, title, detail: null, errors: [], more: {} };
}

function isProblem(value: unknown): value is HubProblem {
  return typeof Object(value).code === "string" && Array.isArray(Object(value).errors);
}

/** Returns the JSON object in a text, or an empty object for anything else. */
function parsed(text: unknown): Body {
  try {
    const value: unknown = JSON.parse(String(text));
    return typeof value === "object" && value !== null ? (value as Body) : {};
  } catch {
    return {};
  }
}
