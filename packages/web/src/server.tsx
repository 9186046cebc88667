import { type Context, NotFound } from "./context.ts";
import { createReader, HubError, type HubReader } from "./data/hub.ts";
import { draw, type LoadDrawing, NotDrawn } from "./drawing/drawing.ts";
import { pageCsp } from "./http/csp.ts";
import { html } from "./http/respond.ts";
import { MessagePage } from "./pages/message.tsx";
import { type Assets, Layout } from "./parts/layout.tsx";
import { ProjectUrl } from "./parts/picture.tsx";
import { type PreviewScript, previewPage } from "./preview/page.ts";
import { renderPage } from "./render.tsx";
import { route } from "./routes.ts";

export interface WebOptions {
  /** Of the Supabase project. Pages read it as anon: no secret is needed here. */
  supabaseUrl: string;
  publishableKey: string;
  /** KEYHUB_SEAL_KEY, which is public: the browser seals API keys with it. Without it none can be added on the pages. */
  sealKey?: string;
  /** Address of the site without a path, such as `https://hub.example.org`; by default the one that was asked. */
  siteUrl?: string;
  /** Origin of the preview page, where a deployment has another domain for it; by default the site's. */
  previewOrigin?: string;
  assets: Assets;
  /** What draws the pictures of links; without it each is that of its type. */
  loadDrawing?: LoadDrawing;
  preview: PreviewScript;
  fetch?: typeof fetch;
  /** While somebody works on the pages. */
  reload?: boolean;
  /** For errors that are no refusal. */
  onError?: (error: unknown, requestId: string) => void;
}

/** The gallery as one function of requests, for any host that speaks `Request` and `Response`. */
export function createHandler(options: WebOptions): (request: Request) => Promise<Response> {
  const hub = createReader({
    url: options.supabaseUrl,
    publishableKey: options.publishableKey,
    ...(options.fetch ? { fetch: options.fetch } : {}),
  });
  const api = new URL(options.supabaseUrl).origin;
  const contact = contactOf(hub);

  return async (request) => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return new Response(null, { status: 405, headers: { Allow: "GET, HEAD" } });
    }
    const url = new URL(request.url);
    const origin = options.siteUrl ? new URL(options.siteUrl).origin : url.origin;
    if (url.pathname === "/preview.html") return previewPage(options.preview, origin);
    const preview = `${options.previewOrigin ?? origin}/preview.html`;
    const csp = pageCsp(api, preview);
    const site = {
      api: options.supabaseUrl,
      publishableKey: options.publishableKey,
      sealKey: options.sealKey ?? "",
      preview,
      reload: options.reload ?? false,
    };
    const contactUrl = await contact();
    const context: Context = {
      request,
      url,
      origin,
      api: options.supabaseUrl,
      hub,
      assets: options.assets,
      draw: (name, svg) =>
        draw(name, svg, options.loadDrawing).catch((error: unknown) => {
          if (error instanceof NotDrawn) throw error;
          // A page does not need its picture.
          options.onError?.(error, crypto.randomUUID());
          throw new NotDrawn();
        }),
      page: (head, body, { status = 200, headers, ...bar } = {}) => {
        const shown = status === 200 ? head : { ...head, noindex: true };
        const document = (
          <Layout head={shown} contact={contactUrl} site={site} assets={options.assets} {...bar}>
            <ProjectUrl.Provider value={options.supabaseUrl}>{body}</ProjectUrl.Provider>
          </Layout>
        );
        return html(renderPage(document), { status, csp, ...(headers ? { headers } : {}) });
      },
    };
    const response = await respond(context, options.onError);
    return request.method === "HEAD" ? new Response(null, response) : response;
  };
}

const CONTACT_SECONDS = 60;

/** Reads the contact address once a minute. A page is shown without it rather than not at all. */
function contactOf(hub: HubReader): () => Promise<string | null> {
  let until = 0;
  let known: Promise<string | null> = Promise.resolve(null);
  return () => {
    if (Date.now() >= until) {
      until = Date.now() + CONTACT_SECONDS * 1_000;
      known = hub.contact().then(
        // What an operator typed past the check of the table is no link.
        (url) => (url !== null && /^(https:\/\/|mailto:)/i.test(url) ? url : null),
        () => null,
      );
    }
    return known;
  };
}

async function respond(context: Context, onError: WebOptions["onError"]): Promise<Response> {
  try {
    return (await route(context)) ?? notFound(context);
  } catch (error) {
    const status = error instanceof HubError ? error.problem.status : 0;
    if (error instanceof NotFound || status === 404) return notFound(context);
    if (error instanceof HubError && (status === 400 || status === 422)) {
      return notAList(context, status, error.problem.title);
    }
    const requestId = crypto.randomUUID();
    onError?.(error, requestId);
    return unavailable(context, requestId);
  }
}

function notFound({ page }: Context): Response {
  return page(
    { title: "Not found · Keyhub", description: "There is nothing at this address." },
    <MessagePage
      title="There is nothing here"
      text="The address may be wrong, or what was here is private or hidden."
    />,
    { status: 404 },
  );
}

function notAList({ page }: Context, status: number, reason: string): Response {
  return page(
    { title: "Not a list · Keyhub", description: "This address asks for something that is no list." },
    <MessagePage
      title="This list cannot be shown"
      text={`The address asks for something else: ${reason}.`}
    />,
    { status },
  );
}

function unavailable({ page }: Context, requestId: string): Response {
  return page(
    { title: "Not available · Keyhub", description: "The hub cannot be reached at the moment." },
    <MessagePage
      title="The hub cannot be reached"
      text="This is on our side. Try again in a minute."
      requestId={requestId}
    />,
    { status: 503, headers: { "Retry-After": "30" } },
  );
}
