import { PROBLEM_TYPE } from "@keyhub/core/problem";

/** Caches may show an answer for at most six minutes, because content that moderation hides must disappear. */
const PUBLIC = "public, max-age=60, stale-while-revalidate=300";

/** The headers of every answer that a browser may show as a page. */
const SAFE: Record<string, string> = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "strict-origin-when-cross-origin",
};

export interface HtmlOptions {
  status?: number;
  csp: string;
  headers?: Record<string, string>;
}

export function html(body: string, { status = 200, csp, headers = {} }: HtmlOptions): Response {
  return new Response(body, {
    status,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": status === 200 ? PUBLIC : "no-store",
      "Content-Security-Policy": csp,
      ...SAFE,
      ...headers,
    },
  });
}

interface OpenOptions {
  status?: number;
  headers?: Record<string, string>;
}

/** Returns an answer for programs: any origin may read it, and a request that has the current ETag gets a 304. */
export function open(
  request: Request,
  body: string,
  type: string,
  options: OpenOptions = {},
): Promise<Response> {
  return openMade(request, body, type, () => body, options);
}

/**
 * Returns an answer like `open`, whose body is made from the text `from`. `make` is not called if the request's ETag matches that text.
 */
export async function openMade(
  request: Request,
  from: string,
  type: string,
  make: (fingerprint: string) => BodyInit | Promise<BodyInit>,
  { status = 200, headers = {} }: OpenOptions = {},
): Promise<Response> {
  const name = await fingerprint(from);
  const etag = `"${name}"`;
  const common = {
    ...SAFE,
    "Access-Control-Allow-Origin": "*",
    "Cache-Control": status === 200 ? PUBLIC : "no-store",
    ...headers,
  };
  if (status === 200) {
    const known = (request.headers.get("if-none-match") ?? "")
      .split(",")
      .map((one) => one.trim().replace(/^W\//, ""));
    if (known.includes(etag) || known.includes("*")) {
      return new Response(null, { status: 304, headers: { ...common, ETag: etag } });
    }
  }
  return new Response(await make(name), {
    status,
    headers: { ...common, "Content-Type": type, ...(status === 200 ? { ETag: etag } : {}) },
  });
}

export function json(
  request: Request,
  value: unknown,
  options: { status?: number; headers?: Record<string, string>; type?: string } = {},
): Promise<Response> {
  return open(request, JSON.stringify(value), options.type ?? "application/json; charset=utf-8", options);
}

/** Returns a problem for programs (RFC 9457). */
export function problem(request: Request, status: number, code: string, detail: string): Promise<Response> {
  return json(
    request,
    { type: "about:blank", title: detail, status, code, detail },
    { status, type: PROBLEM_TYPE },
  );
}

export function redirect(to: string, status: 301 | 302 = 301): Response {
  return new Response(null, { status, headers: { Location: to, "Cache-Control": PUBLIC } });
}

async function fingerprint(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest, 0, 12)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
