// This declaration is here because the type checker of this folder does not know Deno.
declare const Deno: { env: { get(name: string): string | undefined } };

/** The smallest possible streaming proxy. The benches compare the gateway with it. */
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
