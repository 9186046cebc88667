import { isLoopback } from "@keyhub/core/upstream";
import { Hono } from "hono";
import { html } from "hono/html";
import { HTTPException } from "hono/http-exception";
import { type Json, refusal, type StripeApi } from "./stripe-api.ts";

/** Serves the part of Stripe's API that the functions use, and the provider's pages: to pay, to open an account, and to list payments. */
export function paymentRoutes(api: StripeApi, origin: () => string, onLog: (line: string) => void): Hono {
  const app = new Hono();
  app.onError((error, c) => {
    const known = error instanceof HTTPException ? error : undefined;
    if (!known) onLog(`the payment provider failed: ${error.message}`);
    const message = known?.message ?? "internal";
    return c.json({ error: { type: "invalid_request_error", code: message, message } }, known?.status ?? 500);
  });
  // Refuse calls and button presses that come from a page of another site, and requests to any host name but loopback (DNS rebinding).
  app.use(async (c, next) => {
    const acts = c.req.method !== "GET" || c.req.path.startsWith("/v1/");
    const isForeign = acts && c.req.header("sec-fetch-site") === "cross-site";
    return isForeign || !isLoopback(new URL(c.req.url).hostname) ? page("No", "", 403) : next();
  });
  app.route("/v1", apiRoutes(api, origin));
  app.get("/pay/:id", (c) => {
    const session = api.session(c.req.param("id"));
    if (session === undefined) return page("No such payment", "", 404);
    if (session.status !== "open") return page("This page is closed", "", 410);
    const price = amountOf(session.amount_total, session.currency);
    const note = html`<p>${price}. This provider is a stand-in on your own machine: no money moves.</p>`;
    return page(session.title, html`${note}${button("pay", `Pay ${price}`)}${button("cancel", "Go back")}`);
  });
  app.post("/pay/:id", async (c) => {
    const id = c.req.param("id");
    if ((await c.req.parseBody()).do === "pay") api.pay(id);
    return c.redirect(api.sessionOf(id).success_url, 303);
  });
  app.get("/onboard/:id", () =>
    page("Your payout account", html`${button("enable", "Take payments")}${button("disable", "Not yet")}`),
  );
  app.post("/onboard/:id", async (c) => {
    api.enable(c.req.param("id"), (await c.req.parseBody()).do === "enable");
    return c.redirect(c.req.query("back") ?? "/", 303);
  });
  app.get("/", () => page("Payments", listOf(api)));
  app.post("/", async (c) => {
    const form = await c.req.parseBody();
    act(api, String(form.do), String(form.id));
    return c.redirect("/", 303);
  });
  return app;
}

function apiRoutes(api: StripeApi, origin: () => string): Hono {
  const answered = new Map<string, unknown>();
  const app = new Hono();
  /** Registers a call that creates something. A call with an idempotency key that was used before gets the earlier answer. */
  const make = (path: string, answer: (body: Json) => unknown) =>
    app.post(path, async (c) => {
      // Wait for the body before the look-up: of two simultaneous calls with one key, the second must find the answer of the first.
      const body = readForm(await c.req.text());
      const own = c.req.header("idempotency-key");
      const key = own === undefined ? undefined : `${path} ${own}`;
      const known = key === undefined ? undefined : answered.get(key);
      const given = known ?? structuredClone(answer(body));
      if (key !== undefined) answered.set(key, given);
      return c.json(given as Json);
    });
  const list = (data: unknown[]) => ({ object: "list", data, has_more: false });
  make("/products", api.makeProduct);
  make("/checkout/sessions", api.makeSession);
  make("/refunds", (body) =>
    api.refund(String(body.payment_intent), Number(body.amount), body.metadata as Json),
  );
  make("/accounts", api.makeAccount);
  make("/account_links", ({ account, return_url: back }) => {
    api.account(String(account));
    const url = `${origin()}/onboard/${account}?back=${encodeURIComponent(String(back))}`;
    return { object: "account_link", url };
  });
  app.get("/checkout/sessions/:id", (c) => c.json(api.sessionOf(c.req.param("id"))));
  app.get("/payment_intents/:id", (c) => c.json(api.paymentOf(c.req.param("id"))));
  app.get("/accounts/:id", (c) => c.json(api.account(c.req.param("id"))));
  app.get("/refunds", (c) => c.json(list(api.refunds(c.req.query("payment_intent") ?? ""))));
  app.get("/disputes", (c) => c.json(list(api.disputes(c.req.query("payment_intent") ?? ""))));
  app.get("/events", (c) => {
    const { types = {}, created } = readForm(new URL(c.req.url).search);
    const [wanted, since] = [Object.values(types as Json), Number(Object(created).gte ?? 0)];
    const told = api
      .events()
      .filter((event) => wanted.includes(event.type) && Number(event.created) >= since);
    return c.json(list(told.toReversed()));
  });
  app.all("*", () => {
    throw refusal(404, "url_invalid");
  });
  return app;
}

/** Performs the action of a button in the list of payments. */
function act(api: StripeApi, what: string, id: string): void {
  if (what === "refund half") api.refund(id, Math.ceil(api.paymentOf(id).amount / 2));
  else if (what === "refund") api.refund(id, api.left(id));
  else if (what === "fail") api.failRefund(id);
  else if (what === "dispute") api.dispute(id);
  else if (what === "won" || what === "lost") api.closeDispute(id, what);
  else throw refusal(400, "parameter_unknown");
}

function listOf(api: StripeApi) {
  const payments = api.payments().map(({ id, title, amount, currency, refunds, disputes }) => {
    const returned = refunds.map(
      (refund) =>
        html`<li>refund of ${amountOf(refund.amount, currency)}, ${refund.status} ${button("fail", "Let it fail", refund.id)}</li>`,
    );
    const disputed = disputes.map(
      (dispute) =>
        html`<li>dispute, ${dispute.status} ${button("won", "Won", dispute.id)}${button("lost", "Lost", dispute.id)}</li>`,
    );
    return html`<section><h2>${title}, ${amountOf(amount, currency)}</h2>
      ${button("refund half", "Refund half", id)}${button("refund", "Refund the rest", id)}${button("dispute", "Dispute", id)}
      <ul>${returned}${disputed}</ul></section>`;
  });
  return payments.length > 0 ? html`${payments}` : html`<p>Nobody has paid yet.</p>`;
}

const amountOf = (amount: number, currency: string) =>
  new Intl.NumberFormat("en", { style: "currency", currency }).format(amount / 100);

const button = (what: string, label: string, id = "") =>
  html`<form method="post"><input type="hidden" name="id" value="${id}"><button name="do" value="${what}">${label}</button></form>`;

const STYLE = `body{font:1rem/1.5 system-ui;max-width:40rem;margin:3rem auto;padding:0 1rem}form{display:inline}
button{font:inherit;margin:.2rem .4rem .2rem 0;padding:.4rem 1rem}`;

function page(title: string, body: ReturnType<typeof html> | string, status = 200): Response {
  const head = html`<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>`;
  const text = html`<!doctype html><html lang="en">${head}<style>${STYLE}</style><h1>${title}</h1>${body}</html>`;
  const policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";
  const headers = { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy };
  return new Response(String(text), { status, headers });
}

/** Reads the form that Stripe's library sends: `a[b][0]=c`. */
function readForm(text: string): Json {
  // Objects without a prototype: a name such as `__proto__` is a name like any other.
  const empty = (): Json => Object.create(null);
  const read = empty();
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/\[|\]\[?/).filter((part) => part !== "");
    const last = path.pop() ?? "";
    let at = read;
    for (const part of path) {
      at[part] ??= empty();
      at = at[part] as Json;
      if (typeof at !== "object") throw refusal(400, "parameter_invalid");
    }
    at[last] = value;
  }
  return read;
}
