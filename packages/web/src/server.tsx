import { createHub, type Hub, HubError } from "./data/hub.ts";
import { html } from "./http/respond.ts";
import { pageCsp } from "./http/csp.ts";
import { type Assets, type Head, Layout } from "./parts/layout.tsx";
import { MessagePage } from "./pages/message.tsx";
import { renderPage } from "./render.tsx";
import { answer } from "./routes.tsx";

export interface WebOptions {
  /** Of the Supabase project. Pages read it as anon: no secret is needed here. */
  supabaseUrl: string;
  publishableKey: string;
  /** Address of the site without a path, such as `https://hub.example.org`; by default the one that was asked. */
  siteUrl?: string;
  /** Origin of the preview page, where a deployment has another domain for it; by default the site's. */
  previewOrigin?: string;
  assets: Assets;
  fetch?: typeof fetch;
  /** For errors that are no refusal. */
  onError?: (error: unknown, requestId: string) => void;
}

/** What one request is answered with. */
export interface Context {
  request: Request;
  url: URL;
  origin: string;
  hub: Hub;
  assets: Assets;
  /** A whole page. */
  page(head: Head, body: preact.ComponentChildren, options?: PageOptions): Response;
}

export interface PageOptions {
  status?: number;
  q?: string;
  section?: string;
  headers?: Record<string, string>;
}

/** The gallery as one function of requests, for any host that speaks `Request` and `Response`. */
export function createHandler(options: WebOptions): (request: Request) => Promise<Response> {
  const hub = createHub({
    url: options.supabaseUrl,
    publishableKey: options.publishableKey,
    ...(options.fetch ? { fetch: options.fetch } : {}),
  });
  const api = new URL(options.supabaseUrl).origin;

  return async (request) => {
    const url = new URL(request.url);
    const origin = options.siteUrl ? new URL(options.siteUrl).origin : url.origin;
    const csp = pageCsp(api, `${options.previewOrigin ?? origin}/preview.html`);
    const page: Context["page"] = (head, body, { status = 200, q, section, headers } = {}) => {
      const layout = (
        <Layout
          head={status === 200 ? head : { ...head, noindex: true }}
          assets={options.assets}
          {...(q === undefined ? {} : { q })}
          {...(section === undefined ? {} : { section })}
        >
          {body}
        </Layout>
      );
      return html(renderPage(layout), { status, csp, ...(headers ? { headers } : {}) });
    };
    if (request.method !== "GET" && request.method !== "HEAD") {
      return new Response(null, { status: 405, headers: { Allow: "GET, HEAD" } });
    }
    const context: Context = { request, url, origin, hub, assets: options.assets, page };
    try {
      return withoutBody(request, (await answer(context)) ?? notFound(context));
    } catch (error) {
      return withoutBody(request, failed(context, error, options.onError));
    }
  };
}

export function notFound({ page }: Context): Response {
  const head = { title: "Not found · Keyhub", description: "There is nothing at this address." };
  return page(
    head,
    <MessagePage
      title="There is nothing here"
      text="The address may be wrong, or what was here is private or hidden."
    />,
    { status: 404 },
  );
}

function failed(context: Context, error: unknown, onError: WebOptions["onError"]): Response {
  if (error instanceof HubError && error.status === 404) return notFound(context);
  if (error instanceof HubError && (error.status === 400 || error.status === 422)) {
    return context.page(
      { title: "Not a list · Keyhub", description: "This address asks for something that is no list." },
      <MessagePage title="This link asks for something else" text={`Its list cannot be shown: ${error.code}.`} />,
      { status: error.status },
    );
  }
  const requestId = crypto.randomUUID();
  onError?.(error, requestId);
  return context.page(
    { title: "Not available · Keyhub", description: "The hub cannot be reached at the moment." },
    <MessagePage
      title="The hub cannot be reached"
      text="This is on our side. Try again in a minute."
      requestId={requestId}
    />,
    { status: 503, headers: { "Retry-After": "30" } },
  );
}

/** What HEAD answers: the same without the body. */
function withoutBody(request: Request, response: Response): Response {
  return request.method === "HEAD" ? new Response(null, response) : response;
}
