// biome-ignore-all lint/suspicious/noTemplateCurlyInString: sources are quoted
const raw = String.raw;

/** Harmless components that look close, written with part C of the dangerous ones. */
export const CLEAN_C: readonly string[] = [
  raw`function evaluate(tokens) { return tokens.reduce((a, t) => a + t.value, 0); }
export function Calc({ tokens }) { const eval_ = evaluate; return <b>{eval_(tokens)}</b>; }`,
  raw`import { evaluate as eval2 } from "mathjs";
export const X = ({ f }) => <td>{eval2(f)}</td>;`,
  raw`export function Retry({ fetch, refetch }: { fetch: (id: string) => void; refetch(): void }) {
  return <button onClick={() => { fetch("https://x.example"); refetch(); }}>Retry</button>;
}`,
  raw`import { useLocation } from "react-router-dom";
export function Crumbs() {
  const location = useLocation();
  return <nav>{location.pathname.split("/").map((p) => <span key={p}>{p}</span>)}</nav>;
}`,
  raw`import { useNavigate } from "react-router-dom";
export const Back = () => { const navigate = useNavigate(); return <button onClick={() => navigate(-1)}>Back</button>; };`,
  raw`// eval("1 + 1"), new Function("x"), document.write("<script>")
/* window.location.href = "https://example.com"; fetch("https://example.com") */
export const Docs = () => <p>Never use <code>eval()</code> or <code>document.write</code>.</p>;`,
  raw`export const tips = ["eval is evil", "setTimeout('x', 1) is eval too", "location.href = 'https://x.example'", "<script>alert(1)</script>"];`,
  raw`export const useTodos = () => useSWR("/api/todos", (u: string) => fetch(u).then((r) => r.json()));`,
  `export async function save(id: string, body: unknown) {
  const res = await fetch(\`/api/items/\${id}\`, { method: "PUT", body: JSON.stringify(body) });
  if (!res.ok) throw new Error(res.statusText);
}`,
  raw`export const Avatar = ({ src }) => <img src={src ?? "data:image/gif;base64,R0lGODlhAQABAAAAACw="} alt="" />;`,
  raw`export function Export({ rows }) {
  const save = () => {
    const blob = new Blob([rows.join("\n")], { type: "text/csv" });
    const url = URL.createObjectURL(blob);
    const a = document.createElement("a");
    a.href = url;
    a.download = "rows.csv";
    a.click();
    URL.revokeObjectURL(url);
  };
  return <button onClick={save}>CSV</button>;
}`,
  raw`export function Icon() {
  return <span dangerouslySetInnerHTML={{ __html: "<svg viewBox='0 0 10 10'><path d='M0 0h10v10z'/></svg>" }} />;
}`,
  raw`const root = document.getElementById("root");
root.innerHTML = "";
root.innerHTML = "<p class=\"empty\">Nothing here yet</p>";`,
  raw`export const Nav = () => <a href="https://example.com/docs" target="_blank" rel="noreferrer">Docs</a>;`,
  raw`export function Debounced({ onChange }) {
  const timer = useRef<ReturnType<typeof setTimeout>>();
  return <input onChange={(e) => { clearTimeout(timer.current); timer.current = setTimeout(() => onChange(e.target.value), 300); }} />;
}`,
  raw`export function useInterval(callback, delay) {
  const saved = useRef(callback);
  useEffect(() => { saved.current = callback; }, [callback]);
  useEffect(() => { if (delay === null) return; const id = setInterval(() => saved.current(), delay); return () => clearInterval(id); }, [delay]);
}`,
  raw`export function defer(callback, ...args) { return setTimeout(callback, 0, ...args); }`,
  raw`import { LineChart, Line, XAxis, YAxis, Tooltip, ResponsiveContainer } from "recharts";
export const Sales = ({ data }) => (
  <ResponsiveContainer height={300}><LineChart data={data}><XAxis dataKey="m" /><YAxis /><Tooltip /><Line dataKey="v" /></LineChart></ResponsiveContainer>
);`,
  raw`import * as d3 from "d3";
export function Bars({ data }) {
  const ref = useRef(null);
  useEffect(() => {
    const svg = d3.select(ref.current);
    svg.selectAll("rect").data(data).join("rect").attr("x", (_, i) => i * 20).attr("height", (d) => d).on("click", (e, d) => console.log(d));
    svg.append("text").text("Bars").style("font", "10px sans-serif");
  }, [data]);
  return <svg ref={ref} />;
}`,
  raw`import { useForm } from "react-hook-form";
import { zodResolver } from "@hookform/resolvers/zod";
export function Signup() {
  const { register, handleSubmit, formState: { errors } } = useForm({ resolver: zodResolver(schema) });
  return <form onSubmit={handleSubmit(async (v) => { await fetch("/api/signup", { method: "POST", body: JSON.stringify(v) }); })}><input {...register("email")} />{errors.email?.message}</form>;
}`,
  raw`import { flexRender, getCoreRowModel, useReactTable } from "@tanstack/react-table";
export function DataTable({ columns, data }) {
  const table = useReactTable({ data, columns, getCoreRowModel: getCoreRowModel() });
  return <table><tbody>{table.getRowModel().rows.map((r) => <tr key={r.id}>{r.getVisibleCells().map((c) => <td key={c.id}>{flexRender(c.column.columnDef.cell, c.getContext())}</td>)}</tr>)}</tbody></table>;
}`,
  raw`!function (e, t) { "object" == typeof exports && "undefined" != typeof module ? t(exports) : "function" == typeof define && define.amd ? define(["exports"], t) : t((e = "undefined" != typeof globalThis ? globalThis : e || self).Lib = {}); }(this, function (e) { "use strict"; e.add = function (a, b) { return a + b; }; });`,
  raw`var __assign = (this && this.__assign) || function () {
  __assign = Object.assign || function (t) { for (var s, i = 1, n = arguments.length; i < n; i++) { s = arguments[i]; for (var p in s) if (Object.prototype.hasOwnProperty.call(s, p)) t[p] = s[p]; } return t; };
  return __assign.apply(this, arguments);
};`,
  raw`function _typeof(o) { "@babel/helpers - typeof"; return _typeof = "function" == typeof Symbol && "symbol" == typeof Symbol.iterator ? function (o) { return typeof o; } : function (o) { return o && "function" == typeof Symbol && o.constructor === Symbol && o !== Symbol.prototype ? "symbol" : typeof o; }, _typeof(o); }
export default _typeof;`,
  raw`function _isNativeReflectConstruct() { try { var t = !Boolean.prototype.valueOf.call(Reflect.construct(Boolean, [], function () {})); } catch (t) {} return (_isNativeReflectConstruct = function () { return !!t; })(); }
export function _callSuper(t, o, e) { return o = Object.getPrototypeOf(o), _isNativeReflectConstruct() ? Reflect.construct(o, e || [], Object.getPrototypeOf(t).constructor) : o.apply(t, e); }`,
  raw`export const URL_RE = /^https?:\/\/[^\s/$.?#].[^\s]*$/i;
export const SCRIPT_RE = /<script\b[^>]*>([\s\S]*?)<\/script>/gi;
export const strip = (html) => html.replace(SCRIPT_RE, "").replace(/\son\w+="[^"]*"/g, "");`,
  raw`export const messages = { en: { evalTitle: "Evaluation", redirect: "You will be redirected to https://example.com", script: "Script" } };
export const t = (k) => messages.en[k];`,
  raw`export const ShareLink = () => { const [ok, setOk] = useState(false); return <button onClick={() => navigator.clipboard.writeText(window.location.href).then(() => setOk(true))}>{ok ? "Copied" : "Copy"}</button>; };`,
  `export const isActive = (path: string) => window.location.pathname === path || location.hash === \`#\${path}\`;`,
  raw`const params = new URLSearchParams(window.location.search);
export const tab = params.get("tab") ?? "overview";`,
  raw`export function Tabs({ tab }) { useEffect(() => { window.location.hash = tab; }, [tab]); return null; }`,
  raw`export function setQuery(q) { const url = new URL(window.location.href); url.searchParams.set("q", q); window.history.replaceState(null, "", url); }`,
  raw`export const ErrorPage = () => <button onClick={() => window.location.reload()}>Reload</button>;`,
  `export const Live = () => { useEffect(() => { const ws = new WebSocket(\`\${location.protocol === "https:" ? "wss" : "ws"}://\${location.host}/live\`); return () => ws.close(); }, []); return null; };`,
  raw`export const stream = () => new EventSource("/events");`,
  raw`export const beacon = (name: string) => navigator.sendBeacon("/metrics", JSON.stringify({ name }));`,
  raw`const Modal = React.lazy(() => import("./Modal"));
const Chart = lazy(async () => ({ default: (await import("../charts/index.js")).Chart }));
export { Modal, Chart };`,
  `export const locales = { de: () => import("./locales/de.json"), fr: () => import("./locales/fr.json") };
export const loadLocale = (l) => import(\`./locales/\${l}.json\`);`,
  raw`export class HttpClient { constructor(private base: string) {} get(path: string) { return fetch(this.base + path); } }`,
  raw`export const createApi = ({ baseUrl, fetch: f = fetch }) => ({ get: (p) => f(baseUrl + p) });`,
  `const api = process.env.NEXT_PUBLIC_API_URL;
export const getPosts = () => fetch(\`\${api}/posts\`).then((r) => r.json());`,
  raw`export const XmlNs = () => <svg xmlns="http://www.w3.org/2000/svg" xmlnsXlink="http://www.w3.org/1999/xlink"><use href="#a" /></svg>;`,
  raw`const NS = "http://www.w3.org/2000/svg";
const svg = document.createElementNS(NS, "svg");
svg.setAttribute("viewBox", "0 0 24 24");
const path = document.createElementNS(NS, "path");
path.setAttribute("d", "M0 0"); svg.appendChild(path);`,
  raw`export const Video = () => <iframe src="https://www.youtube.com/embed/abc" title="v" allowFullScreen />;`,
  raw`export const Hero = () => <section style={{ backgroundImage: "url(https://images.example.com/h.jpg)" }}><img src="https://images.example.com/a.png" alt="a" /></section>;`,
  raw`export const Fonts = () => <link rel="stylesheet" href="https://fonts.googleapis.com/css2?family=Inter" />;`,
  raw`import DOMPurify from "dompurify";
export const Md = ({ html }) => <div dangerouslySetInnerHTML={{ __html: DOMPurify.sanitize(html) }} />;`,
  raw`export const JsonLd = ({ data }) => <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: JSON.stringify(data) }} />;`,
  raw`export const Styles = ({ css }) => <style dangerouslySetInnerHTML={{ __html: css }} />;`,
  raw`const style = document.createElement("style");
style.textContent = ".a{color:red}"; document.head.appendChild(style);`,
  raw`export const Placeholder = () => <a href="javascript:void(0)" onClick={() => {}}>x</a>;`,
  raw`const el = document.createElement("div");
el.setAttribute("role", "alert"); el.setAttribute("data-on", "click"); el.className = "t"; el.onclick = () => el.remove(); document.body.append(el);`,
  raw`export const Btn = ({ onClick, ...rest }) => <button {...rest} onClick={(e) => { e.preventDefault(); onClick?.(e); }} />;`,
  raw`const handlers = { onClick: () => {}, onKeyDown(e) { if (e.key === "Enter") e.currentTarget.click(); } };
export const Div = () => <div role="button" tabIndex={0} {...handlers} />;`,
  raw`export class Store { listeners = new Set<() => void>(); subscribe = (l: () => void) => { this.listeners.add(l); return () => this.listeners.delete(l); }; emit() { this.listeners.forEach((l) => l()); } }`,
  raw`export const merge = (a, b) => Object.assign({}, a, b);
export const pick = (o, ks) => ks.reduce((r, k) => (k in o ? { ...r, [k]: o[k] } : r), {});`,
  raw`export const call = (fn, ...args) => (typeof fn === "function" ? fn(...args) : fn);
export const callAll = (...fns) => (...args) => fns.forEach((fn) => fn?.apply(null, args));`,
  raw`export const get = (o, path, d) => path.split(".").reduce((x, k) => x?.[k], o) ?? d;`,
  raw`export const reverse = (s) => s.split("").reverse().join("");
export const code = (s) => [...s].map((c) => c.charCodeAt(0)).join(",");
export const chr = (n) => String.fromCharCode(97 + n);`,
  raw`export const decode = (token) => JSON.parse(atob(token.split(".")[1]));`,
  raw`export const b64 = (file) => new Promise((res) => { const r = new FileReader(); r.onload = () => res(r.result); r.readAsDataURL(file); });`,
  raw`export const isFn = (f) => typeof f === "function" || f instanceof Function;
export const name = (c) => c.displayName || c.name || c.constructor.name;`,
  raw`export const debounce = (fn, ms) => { let t; return function (...a) { clearTimeout(t); t = setTimeout(() => fn.apply(this, a), ms); }; };`,
  raw`export const bound = Function.prototype.bind ? (f, t) => f.bind(t) : (f, t) => () => f.call(t);`,
  raw`export const isPlain = (o) => Object.prototype.toString.call(o) === "[object Object]" && (o.constructor === undefined || o.constructor === Object);`,
  raw`class Point { constructor(x, y) { this.x = x; this.y = y; } clone() { return new this.constructor(this.x, this.y); } }
export default Point;`,
  raw`export const proxy = (t) => new Proxy(t, { get: (o, k, r) => Reflect.get(o, k, r), set(o, k, v) { o[k] = v; notify(k); return true; } });`,
  raw`export const Tracker = () => <a href="https://example.com" onClick={(e) => { e.preventDefault(); window.open("https://example.com", "_blank", "noopener"); }}>x</a>;`,
  raw`export const mail = () => { window.open("mailto:hi@example.com"); };`,
  raw`import Router from "next/router";
export const Go = () => <button onClick={() => Router.push("/dash")}>x</button>;`,
  raw`import { redirect } from "next/navigation";
export default async function Page() { const u = await getUser(); if (!u) redirect("/login"); return <p>{u.name}</p>; }`,
  raw`export const Select = ({ options, replace }) => { replace(options[0]); return null; };
export const assign = (list, user) => list.assign(user);`,
  raw`const location = { href: "", assign(u) { this.href = u; } };
export const X = () => { location.href = "https://example.com"; location.assign("https://example.com"); return <p>{location.href}</p>; };`,
  raw`export function MapPin({ location }: { location: { lat: number; href: string } }) { const l = location; l.href = "https://maps.example.com"; return <a href={l.href}>x</a>; }`,
  raw`const document = { createElement: (t) => ({ t }), write: (s) => s };
export const tree = document.createElement("script"); document.write("<script>1</script>");`,
  raw`export const Editor = ({ window: win }) => { win.eval = 1; return <p>{win.eval}</p>; };`,
  raw`interface Script { eval(code: string): void; fetch(url: string): Promise<void>; }
declare const engine: Script;
export const X = () => { engine.eval("1"); engine.fetch("https://example.com"); return null; };`,
  raw`type Fetch = typeof fetch; type L = typeof window.location; 
export interface Props { fetch?: Fetch; location?: L; eval?: boolean; innerHTML?: string }`,
  raw`enum Action { Eval = "eval", Fetch = "fetch", Script = "script", Redirect = "redirect" }
export const reducer = (s, a) => { switch (a.type) { case Action.Eval: return s; case "script": return { ...s }; default: return s; } };`,
  raw`export default { name: "FetchButton", data: () => ({ loading: false }), methods: { async fetch() { this.loading = true; const r = await this.$http.get("/api/x"); this.loading = false; return r; }, click() { this.fetch("https://example.com"); } } };`,
  raw`export default { computed: { location() { return this.$route.path; } }, methods: { go() { this.$router.push({ name: "home" }); this.location.replace("/", "-"); } } };`,
  raw`export const Counter = { setup() { const n = ref(0); const inc = () => n.value++; return () => h("button", { onClick: inc }, n.value); } };`,
  `import { LitElement, html, css } from "lit";
export class MyEl extends LitElement { static styles = css\`:host{display:block}\`; render() { return html\`<button @click=\${this._go}>Go</button><p>\${this.text}</p>\`; } _go() { this.dispatchEvent(new CustomEvent("go")); } }`,
  `class Tip extends HTMLElement { constructor() { super(); this.attachShadow({ mode: "open" }).innerHTML = \`<style>p{color:red}</style><p><slot></slot></p>\`; } }
customElements.define("x-tip", Tip);`,
  `const tpl = document.createElement("template");
tpl.innerHTML = \`<div class="card"><slot name="title"></slot><button part="b">OK</button></div>\`;
export class Card extends HTMLElement { connectedCallback() { this.attachShadow({ mode: "open" }).append(tpl.content.cloneNode(true)); } }`,
  raw`export const clear = (el: Element) => { while (el.firstChild) el.removeChild(el.firstChild); el.textContent = "<script>not run</script>"; };`,
  raw`export const List = ({ items }) => { const ref = useRef(null); useEffect(() => { for (const i of items) { const li = document.createElement("li"); li.textContent = i; ref.current.append(li); } }, [items]); return <ul ref={ref} />; };`,
  raw`const el = document.createElement(tagFor("title"));
function tagFor(kind) { return kind === "title" ? "h1" : "p"; }
document.body.append(el);`,
  raw`export const Box = ({ as: Tag = "div", ...p }) => <Tag {...p} />;`,
  raw`const tags = { h1: "h1", h2: "h2", code: "code" };
export const Text = ({ kind, children }) => React.createElement(tags[kind], null, children);`,
  raw`export const Slot = React.forwardRef(({ children, ...p }, ref) => React.isValidElement(children) ? React.cloneElement(children, { ...p, ref }) : null);`,
  raw`export const Email = ({ body }) => <iframe srcDoc="<p>Loading</p>" title="e" sandbox="" data-body={body} />;`,
  raw`const canvas = document.createElement("canvas");
export const png = () => canvas.toDataURL("image/png");`,
  raw`const img = new Image();
img.src = "/assets/a.png"; img.onload = () => draw(img);`,
  raw`export const preload = (src: string) => new Promise((res, rej) => { const i = new Image(); i.onload = res; i.onerror = rej; i.src = src; });`,
  raw`const w = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
export const post = (m) => w.postMessage(m);`,
  raw`export const asset = new URL("./a.svg", import.meta.url).href;
export const load = () => fetch(asset).then((r) => r.text());`,
  raw`fetch(new URL("/api/x", window.location.origin)).then((r) => r.json());`,
  raw`export const api = (p: string) => fetch(window.location.origin + "/api" + p, { credentials: "include" });`,
  raw`fetch("data:text/plain,hello").then((r) => r.text());
export const blobToText = (u) => fetch(u).then((r) => r.blob());`,
  raw`const xhr = new XMLHttpRequest(); xhr.open("POST", "/upload"); xhr.upload.onprogress = (e) => set(e.loaded / e.total);`,
  raw`import axios from "axios";
const http = axios.create({ baseURL: "/api" });
export const list = () => http.get("/items");`,
  raw`import ky from "ky";
export const list = (u) => ky.get(u).json();`,
  raw`export const Query = () => { const { data, refetch } = useQuery(["k"], () => client.fetch("*[_type == 'post']")); return <p onClick={() => refetch()}>{data}</p>; };`,
  raw`export const LINKS = [{ label: "GitHub", href: "https://github.com/x" }, { label: "X", href: "https://x.com/y" }];
export const Footer = () => <footer>{LINKS.map((l) => <a key={l.href} href={l.href}>{l.label}</a>)}</footer>;`,
  `export const mdLink = (t: string) => t.replace(/\\[(.+?)\\]\\((https?:.+?)\\)/g, (_, a, b) => \`\${a} (\${b})\`);`,
  raw`export const og = { title: "x", url: "https://example.com", images: ["https://example.com/og.png"] };
export const metadata = { metadataBase: new URL("https://example.com"), openGraph: og };`,
  raw`export const config = { api: "https://api.example.com", scriptUrl: "https://cdn.example.com/x.js" };`,
  raw`// JSON schema
export const schema = { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object", properties: { eval: { type: "string" } } };`,
  raw`export const isExternal = (href) => /^(https?:)?\/\//.test(href) && new URL(href, location.href).origin !== location.origin;`,
  `export const loginUrl = () => \`/login?next=\${encodeURIComponent(window.location.pathname + window.location.search)}\`;`,
  raw`export const Header = () => { const [path, setPath] = useState(() => typeof window === "undefined" ? "/" : window.location.pathname); useEffect(() => { const f = () => setPath(location.pathname); addEventListener("popstate", f); return () => removeEventListener("popstate", f); }, []); return <h1>{path}</h1>; };`,
  raw`export const nav = (to: string) => { history.pushState({}, "", to); dispatchEvent(new PopStateEvent("popstate")); };`,
  raw`export const scroll = () => { document.documentElement.scrollTop = 0; window.scrollTo({ top: 0 }); window.print(); };`,
  raw`const g = typeof globalThis !== "undefined" ? globalThis : typeof window !== "undefined" ? window : global;
export const raf = g.requestAnimationFrame || ((f) => g.setTimeout(f, 16));`,
  raw`const now = window["performance"]?.["now"]?.() ?? Date.now();
export const vendor = ["webkit", "moz"].map((p) => window[p + "RequestAnimationFrame"]).find(Boolean);
export { now };`,
  raw`export const hasApi = (n: string) => n in window && typeof (window as any)[n] === "function";`,
  raw`export const Matchers = { exec: /a(b)c/.exec("abc"), run: (re, s) => re.exec(s) };`,
  raw`import { spawn } from "./particles"; 
export const Particles = () => { spawn("sparks"); return null; };`,
  `export const Code = ({ children }) => <pre><code>{\`const s = document.createElement("script"); s.src = "https://x.example/a.js"; eval(s)\`}</code>{children}</pre>;`,
  raw`export const Lesson = () => <p>Write <kbd>{"<script src='https://cdn.example.com/x.js'></script>"}</kbd> in your page.</p>;`,
  raw`export const EvalScore = ({ evals }) => <ul>{evals.map((e) => <li key={e.id}>{e.eval.toFixed(2)}</li>)}</ul>;`,
  raw`export const Fetching = ({ isFetching, fetchNextPage }) => <button disabled={isFetching} onClick={() => fetchNextPage()}>More</button>;`,
  raw`const PREFIX = "https://";
export const clean = (u: string) => (u.startsWith(PREFIX) ? u.slice(PREFIX.length) : u);`,
  raw`export function useFetch<T>(url: string, init?: RequestInit) { const [d, set] = useState<T>(); useEffect(() => { const c = new AbortController(); fetch(url, { ...init, signal: c.signal }).then((r) => r.json()).then(set, () => {}); return () => c.abort(); }, [url]); return d; }`,
  raw`export const Upload = ({ action }) => <form action={action} method="post" encType="multipart/form-data"><input type="file" /></form>;`,
  raw`export const Form = () => { const ref = useRef<HTMLFormElement>(null); return <form ref={ref} action="/search"><select onChange={() => ref.current?.submit()} /></form>; };`,
  raw`export const focus = () => { const a = document.querySelector("a[href='#main']") as HTMLAnchorElement; a.click(); a.focus(); };`,
  raw`const i18n = { t: (k, v) => k.replace(/\{(\w+)\}/g, (_, n) => v[n]) };
export const Hi = ({ n }) => <p>{i18n.t("Hello {n}", { n })}</p>;`,
  raw`export const highlight = (s) => s.replace(/[&<>"']/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[c]);
export const Hl = ({ s }) => <p dangerouslySetInnerHTML={{ __html: highlight(s) }} />;`,
  raw`const icons = { a: "<path d='M1 1'/>", b: "<circle r='2'/>" };
export const Icon = ({ name }: { name: keyof typeof icons }) => <svg dangerouslySetInnerHTML={{ __html: icons[name] }} />;`,
  raw`import { marked } from "marked";
export const Md = ({ src }) => { const html = useMemo(() => sanitize(marked.parse(src)), [src]); return <div dangerouslySetInnerHTML={{ __html: html }} />; };`,
  raw`ref.current.insertAdjacentHTML("beforeend", "<hr class='sep'>");
export const len = ref.current.innerHTML.length;`,
  raw`export const theme = "(function(){try{document.documentElement.dataset.theme=localStorage.theme}catch(e){}})()";`,
  raw`export const Theme = () => { const [t, setT] = useState(localStorage.getItem("theme") ?? "light"); useEffect(() => { localStorage.setItem("theme", t); document.documentElement.dataset.theme = t; }, [t]); return <button onClick={() => setT(t === "light" ? "dark" : "light")}>{t}</button>; };`,
  raw`export const getCookie = (n) => document.cookie.split("; ").find((c) => c.startsWith(n + "="))?.split("=")[1];
export const post = (b) => fetch("/api/p", { method: "POST", headers: { "X-CSRF": getCookie("csrf") }, body: b });`,
  raw`self.addEventListener("message", (e) => { const { type, data } = e.data; if (type === "sum") self.postMessage(data.reduce((a, b) => a + b, 0)); });`,
  raw`export const Frame = () => { const r = useRef<HTMLIFrameElement>(null); useEffect(() => { r.current?.contentWindow?.postMessage({ type: "init" }, "*"); }, []); return <iframe ref={r} src="/embed" />; };`,
  raw`export default function Page({ searchParams: { q } }) { return <h1>Results for {q}</h1>; }`,
  raw`const compile = (t) => { const parts = t.split(/\{\{(\w+)\}\}/); return (d) => parts.map((p, i) => (i % 2 ? d[p] : p)).join(""); };
export const render = compile("Hello {{name}}");`,
  raw`const ops = { "+": (a, b) => a + b, "-": (a, b) => a - b };
export const calc = (a, op, b) => ops[op](a, b);`,
  raw`const constructor = (o) => o.constructor.name;
export const same = (a, b) => constructor(a) === constructor(b) && a.constructor === b.constructor;`,
  raw`export const setTimeout_ = (s) => s; 
const scheduler = { setTimeout: (label, ms) => ({ label, ms }) };
export const job = scheduler.setTimeout("daily report", 100);`,
  raw`import { setTimeout } from "node:timers/promises";
export const wait = async () => { await setTimeout(100, "done"); };`,
  raw`export const Function_ = ({ Function: Fn }) => <Fn code="x" />;`,
  raw`function Script({ src }) { return <p>{src}</p>; }
export const X = () => <Script src="https://example.com/a.js" />;`,
  raw`export const Table = ({ rows, columns, sort, dir }) => { const sorted = useMemo(() => [...rows].sort((a, b) => (a[sort] > b[sort] ? 1 : -1) * (dir === "asc" ? 1 : -1)), [rows, sort, dir]); return <table>{sorted.map((r, i) => <tr key={i}>{columns.map((c) => <td key={c.key}>{c.render ? c.render(r[c.key], r) : r[c.key]}</td>)}</tr>)}</table>; };`,
  raw`var s = Object.create, d = Object.defineProperty, g = Object.getOwnPropertyDescriptor; var n = (t, e) => { for (var r in e) d(t, r, { get: e[r], enumerable: !0 }); }; var o = {}; n(o, { default: () => x }); var x = () => null; module.exports = o;`,
  raw`export const Anim = () => { const c = useAnimation(); useEffect(() => { c.start({ x: [0, 10], transition: { repeat: Infinity } }); }, []); return <motion.div animate={c} />; };`,
  raw`export class Handle { constructor(icons) { this.icons = icons; } mount(el) { el.innerHTML = this.icons.handle; } }`,
];
