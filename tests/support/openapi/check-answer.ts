import { route } from "../../../packages/local/src/gateway/routes.ts";
import { showsPlantedKey } from "../planted-keys.ts";
import type { RecordedAnswer } from "./answers.ts";
import { document, validatorAt } from "./schemas.ts";

/** Returns the statuses that the document declares but no test has seen, as `operation status`. */
export function unseenStatuses(seen: readonly string[]): string[] {
  const declared = Object.values(document.paths).flatMap(({ post }) =>
    Object.keys(post?.responses ?? {}).map((status) => `${post?.operationId} ${status}`),
  );
  return declared.filter((status) => !seen.includes(status));
}

/** Compares an answer with the document. Returns its operation, status and fault; null when no operation has such an answer. */
export function checkAnswer(answer: RecordedAnswer): { seen: string; fault: string | undefined } | null {
  const path = operationPath(answer.path);
  const operation = path === undefined ? undefined : document.paths[path]?.post;
  // Another test checks the answer to this GET.
  if (answer.method === "GET" && document.paths[path ?? ""]?.get?.operationId === "listFormats") return null;
  // An OPTIONS request is a preflight of CORS, not a call of the operation.
  if (path === undefined || operation === undefined || answer.method === "OPTIONS") return null;
  // Status 499 means that the caller had closed the connection, so nobody got this answer.
  if (answer.status === 499) return null;
  const passedOn = "default" in operation.responses && "x-keyhub-attempts" in answer.headers;
  const seen = `${operation.operationId} ${passedOn ? "default" : answer.status}`;
  const isLease = seen === "getActiveKey 200";
  const fault =
    !isLease && showsPlantedKey(answer.body)
      ? "a key is shown"
      : passedOn
        ? undefined
        : faultOf(path, answer);
  return { seen, fault: fault === undefined ? undefined : `${seen}: ${fault}` };
}

/** Returns the document's path for the operation of a request. */
function operationPath(path: string): string | undefined {
  const where = route(path);
  if (where.kind !== "function") return undefined;
  const [, name, ...rest] = where.path.split("/");
  const hasSuffix = rest.some((part) => part !== "");
  const paths = Object.keys(document.paths).filter((known) => known.split("/")[1] === name);
  return paths.find((known) => known.includes("{") === hasSuffix) ?? paths[0];
}

function faultOf(path: string, { method, status, headers, body }: RecordedAnswer): string | undefined {
  const declared = document.paths[path]?.post?.responses[status];
  if (declared === undefined) return "the status is not declared";
  for (const [name, { $ref }] of Object.entries(declared.headers ?? {})) {
    const { required = false } = document.components.headers[$ref.split("/").at(-1) ?? ""] ?? {};
    if (required && !(name.toLowerCase() in headers)) return `the header ${name} is missing`;
  }
  for (const name of ["Allow", "Retry-After", "WWW-Authenticate"])
    if (name.toLowerCase() in headers && !(name in (declared.headers ?? {})))
      return `the header ${name} is not declared`;
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  if (declared.content?.[type] === undefined) return `the content type ${type} is not declared`;
  if (method === "HEAD") return undefined;
  const fits = validatorAt(
    ["paths", path, "post", "responses", String(status), "content", type, "schema"],
    "closed",
  );
  // Show only names and places, because an answer may contain a key.
  return fits(JSON.parse(body))
    ? undefined
    : (fits.errors ?? [])
        .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
        .join("; ");
}
