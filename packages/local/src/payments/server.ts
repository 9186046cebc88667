// payments/: a simulated payment provider on loopback, for selling in a local stack.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ApiError, type Json, readForm, type StripeApi, signatureOf, stripeApi } from "./stripe-api.ts";

export interface PaymentServer {
  url: string;
  api: StripeApi;
  /** Resolves when every event was taken or given up. */
  delivered(): Promise<void>;
  stop(): Promise<void>;
}

export interface PaymentServerOptions {
  port?: number;
  /** Returns the address for events; null while there is none. */
  webhook: () => string | null;
  secret: string;
  onLog?: (line: string) => void;
  /** The time before an event is sent, and between two tries, in milliseconds. */
  pause?: number;
}

/** The pauses before the next try, in multiples of `pause`. */
const TRIES = [1, 2, 4, 8, 16];

/**
 * Starts a payment provider on loopback for `npm start`: the part of Stripe's API that the functions use, pages to pay on, and signed
 * webhooks. It deliberately sends each event twice, and several events at once in reverse order, because receivers must tolerate that.
 */
export async function startPayments(options: PaymentServerOptions): Promise<PaymentServer> {
  const { webhook, secret, onLog = () => {}, pause = 200 } = options;
  let url = "";
  const waiting: string[] = [];
  const sending = new Set<Promise<void>>();
  const ended = new AbortController();
  const sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      ended.signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    });

  async function deliver(body: string): Promise<void> {
    for (const n of TRIES) {
      const to = webhook();
      if (to === null || ended.signal.aborted) return;
      const status = await fetch(to, {
        method: "POST",
        headers: { "Content-Type": "application/json", "Stripe-Signature": signatureOf(body, secret) },
        body,
        signal: AbortSignal.any([ended.signal, AbortSignal.timeout(10_000)]),
      }).then(
        async (response) => {
          await response.body?.cancel();
          return response.status;
        },
        () => 0,
      );
      if (status >= 200 && status < 300) return;
      await sleep(pause * n);
    }
    onLog("an event of the payment provider was not taken");
  }

  /** Sends the collected events in reverse order. */
  async function flush(): Promise<void> {
    await sleep(pause);
    for (const body of waiting.splice(0).reverse()) {
      await deliver(body);
      await deliver(body);
    }
  }
  const send = (event: Json) => {
    waiting.push(JSON.stringify(event));
    if (waiting.length > 1) return;
    const work = flush().finally(() => sending.delete(work));
    sending.add(work);
  };

  const api = stripeApi(() => url, send);
  const server = createServer((request, response) => {
    serve(api, request, response).catch((error: unknown) => {
      const known = error instanceof ApiError ? error : new ApiError(500, "internal");
      if (known.status === 500) onLog(`the payment provider failed: ${(error as Error).message}`);
      answer(response, known.status, {
        error: { type: "invalid_request_error", code: known.code, message: known.code },
      });
    });
  });
  await listen(server, options.port ?? 0);
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    api,
    delivered: async () => {
      while (sending.size > 0) await Promise.all(sending);
    },
    stop: async () => {
      ended.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await Promise.all(sending);
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
}

async function serve(api: StripeApi, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, search, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
  const method = request.method ?? "GET";
  const text = await read(request);
  if (pathname.startsWith("/v1/")) {
    const key = request.headers["idempotency-key"];
    const body = readForm(text);
    const query = readForm(search);
    return answer(
      response,
      200,
      api.call(method, pathname, body, query, typeof key === "string" ? key : null),
    );
  }
  const [, page = "", id = ""] = pathname.split("/");
  const form = Object.fromEntries(new URLSearchParams(text));
  // The pages are for a browser on this machine, so a form of another site must not press their buttons.
  if (method === "POST" && request.headers["sec-fetch-site"] === "cross-site")
    return show(response, 403, "No", "");
  if (page === "pay") return pay(api, response, id, method === "POST" ? String(form.do) : null);
  if (page === "onboard") {
    const back = searchParams.get("back") ?? "/";
    if (method !== "POST")
      return show(
        response,
        200,
        "Your payout account",
        `${button("enable", "Take payments")}${button("disable", "Not yet")}`,
      );
    api.enable(id, form.do === "enable");
    return redirect(response, back);
  }
  if (method === "POST" && page === "") {
    act(api, String(form.do), String(form.id));
    return redirect(response, "/");
  }
  return show(response, 200, "Payments", payments(api));
}

function pay(api: StripeApi, response: ServerResponse, id: string, wanted: string | null): void {
  const session = api.session(id);
  if (wanted === "pay") api.pay(id);
  if (session === undefined) show(response, 404, "No such payment", "");
  else if (wanted !== null) redirect(response, session.success_url);
  else if (session.status !== "open") show(response, 410, "This page is closed", "");
  else {
    const price = amountOf(session.amount_total, session.currency);
    const note = `<p>${price}. This provider is a stand-in on your own machine: no money moves.</p>`;
    const body = `${note}${button("pay", `Pay ${price}`)}${button("cancel", "Go back")}`;
    show(response, 200, String(session.title), body);
  }
}

function act(api: StripeApi, what: string, id: string): void {
  const payment = api.payments().find((one) => one.id === id);
  if (what === "refund half") api.refund(id, Math.ceil((payment?.amount ?? 0) / 2));
  else if (what === "refund") {
    const back = payment?.refunds.reduce(
      (sum, { amount, status }) => sum + (status === "failed" ? 0 : amount),
      0,
    );
    api.refund(id, (payment?.amount ?? 0) - (back ?? 0));
  } else if (what === "fail") api.failRefund(id);
  else if (what === "dispute") api.dispute(id);
  else if (what === "won" || what === "lost") api.closeDispute(id, what);
}

function payments(api: StripeApi): string {
  const rows = api.payments().map(({ id, title, amount, currency, refunds, disputes }) => {
    const more = [
      ...refunds.map(
        (refund) =>
          `<li>refund of ${amountOf(refund.amount, currency)}, ${refund.status} ${button("fail", "Let it fail", refund.id)}</li>`,
      ),
      ...disputes.map(
        (dispute) =>
          `<li>dispute, ${dispute.status} ${button("won", "Won", dispute.id)}${button("lost", "Lost", dispute.id)}</li>`,
      ),
    ];
    return `<section><h2>${escaped(title)}, ${amountOf(amount, currency)}</h2>
      ${button("refund half", "Refund half", id)}${button("refund", "Refund the rest", id)}${button("dispute", "Dispute", id)}
      <ul>${more.join("")}</ul></section>`;
  });
  return rows.join("") || "<p>Nobody has paid yet.</p>";
}

const amountOf = (amount: number, currency: string) =>
  new Intl.NumberFormat("en", { style: "currency", currency }).format(amount / 100);

const button = (what: string, label: string, id = "") =>
  `<form method="post"><input type="hidden" name="id" value="${escaped(id)}">
  <button name="do" value="${what}">${escaped(label)}</button></form>`;

const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

function show(response: ServerResponse, status: number, title: string, body: string): void {
  response.writeHead(status, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  });
  response.end(`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title><style>body{font:1rem/1.5 system-ui;max-width:40rem;margin:3rem auto;padding:0 1rem}form{display:inline}
button{font:inherit;margin:.2rem .4rem .2rem 0;padding:.4rem 1rem}</style><h1>${escaped(title)}</h1>${body}</html>`);
}

function redirect(response: ServerResponse, to: string): void {
  response.writeHead(303, { Location: to });
  response.end();
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(body));
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
