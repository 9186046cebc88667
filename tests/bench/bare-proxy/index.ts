// Said here because the type checker that sees this folder does not know Deno.
declare const Deno: { env: { get(name: string): string | undefined } };

/** The least that a streaming proxy can be. What the gateway costs is measured against it. */
export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const { status, headers, body } = await fetch(`${Deno.env.get("BENCH_UPSTREAM")}${pathname}`, {
      method: request.method,
      headers: { "content-type": "application/json", authorization: "Bearer sk-bench" },
      body: await request.arrayBuffer(),
    });
    return new Response(body, { status, headers });
  },
};
