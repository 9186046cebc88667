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
  /** The address of the Supabase project. Pages read from it with the role `anon`, so no secret is needed here. */
  supabaseUrl: string;
  publishableKey: string;
  /** KEYHUB_SEAL_KEY, which is public: the browser seals API keys with it. Without it, users cannot add keys on the pages. */
  sealKey?: string;
  /** The address of the site without a path, such as `https://hub.example.org`; by default the origin of the request. */
  siteUrl?: string;
  /** The origin of the preview page, if the deployment has another domain for it; by default the site's. */
  previewOrigin?: string;
  assets: Assets;
  /** Loads the parts that draw the pictures of links (`og:image`). Without it, all listings of a type have the same picture. */
  loadDrawing?: LoadDrawing;
  preview: PreviewScript;
  fetch?: typeof fetch;
  /** Makes browsers load pages again after a new build, for development. */
  reload?: boolean;
  /** Receives unexpected errors. If the whole page fails, the page about the failure shows the same request id. */
  onError?: (error: unknown, requestId: string) => void;
}

/** Returns the site as one function from Request to Response, for any host that supports these. */
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
          // The picture is optional, so the failure is only logged.
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

/** Returns a function that reads the contact address, at most once a minute. If it cannot be read, pages are shown without it. */
function contactOf(hub: HubReader): () => Promise<string | null> {
  let until = 0;
  let known: Promise<string | null> = Promise.resolve(null);
  return () => {
    if (Date.now() >= until) {
      until = Date.now() + CONTACT_SECONDS * 1_000;
      known = hub.contact().then(
        // An address that is neither https nor mailto is not shown as a link, although the table's check should prevent it.
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
    { title: "Filters not valid · Keyhub", description: "The filters in this address are not valid." },
    <MessagePage
      title="This list cannot be shown"
      text={`The filters in this address are not valid: ${reason}.`}
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
