import type { Dangerous } from "./case.ts";

/** Programs made of text, and markup and handlers put into the page. */
export const CODE_H: readonly Dangerous[] = [
  ["eval", `export const A = ({ jobs }) => <button onClick={() => jobs.map(setInterval)}>go</button>;`],
  [
    "eval",
    `const { from } = Array;\nexport const B = ({ q }) => { useEffect(() => { from(q, globalThis.setTimeout); }); return null; };`,
  ],
  ["eval", `const run = compose(Function, trim);\nexport const C = ({ src }) => <b>{run(src)()}</b>;`],
  [
    "eval",
    `export function D({ code }) { const o = { a: 1 }; let f = o["valueOf"]; f = f["constructor"]; return f(code)(); }`,
  ],
  [
    "eval",
    `const key = ["con", "struct", "or"].join("");\nexport const E = ({ t }) => { const go = (x) => x[key]; return go(go("")) (t)(); };`,
  ],
  [
    "eval",
    `const word = "noitcnuF".split("").reverse().join("");\nexport const F = ({ t }) => self[word](t)();`,
  ],
  [
    "eval",
    `const word = [..."lave"].reduceRight((a, b) => a + b, "");\nexport class G extends React.Component { render() { return window[word](this.props.v); } }`,
  ],
  [
    "eval",
    `class Stack { *[Symbol.iterator]() { yield String; yield Function; } }\nexport const H = ({ s }) => { const [, make] = new Stack(); return make(s)(); };`,
  ],
  [
    "eval",
    `const Ctx = createContext(globalThis.Function);\nexport const I = ({ s }) => { const M = useContext(Ctx); return <i>{M(s)()}</i>; };`,
  ],
  [
    "eval",
    `function* tools() { yield parseInt; yield* [isNaN, Function]; }\nexport const J = ({ s }) => { const list = [...tools()]; return list[2](s)(); };`,
  ],
  [
    "eval",
    `const el = document.createElement("function");\nconst name = el.tagName[0] + el.localName.slice(1);\nexport const K = ({ s }) => window[name](s)();`,
  ],
  [
    "eval",
    `const names = [102, 119, 98, 109].map((c, i) => String.fromCharCode(c - 1)).join("");\nexport const L = ({ s }) => window[names](s);`,
  ],
  [
    "eval",
    `let n = 0; const name = [101, 17, -21, 11].map((d) => String.fromCharCode(n += d)).join("");\nexport const M = ({ s }) => window[name](s);`,
  ],
  [
    "eval",
    `const name = "\\u{ff45}\\u{ff56}\\u{ff41}\\u{ff4c}".normalize("NFKD");\nexport const N = ({ s }) => top[name](s);`,
  ],
  [
    "eval",
    `const abc = "abcdefghijklmnopqrstuvwxyz"; const pick = (...p) => p.map((i) => abc[i]).join("");\nexport const O = ({ s }) => window[pick(4, 21, 0, 11)](s);`,
  ],
  [
    "eval",
    `export const P = ({ steps, s }) => { let f = window; for (const k of steps) f = f[k]; return f(s); };`,
  ],
  [
    "eval",
    `const text = (function body() { /* Function */ }).toString();\nconst name = text.match(/\\/\\* (\\w+)/)[1];\nexport const Q = ({ s }) => globalThis[name](s)();`,
  ],
  [
    "eval",
    `const d = Object.getOwnPropertyDescriptor(window, "eval");\nexport const R = ({ s }) => d.value.call(null, s);`,
  ],
  [
    "eval",
    `export const S = ({ s }) => <Maker.Provider value={Function}><Leaf body={s} /></Maker.Provider>;`,
  ],
  [
    "eval",
    `const pool = new Map([["a", Math.max], ["b", Function]]);\nexport const T = ({ s }) => pool.get("b")(s)();`,
  ],
  ["eval", `const lib = { get run() { return Function; } };\nexport const U = ({ s }) => lib.run(s)();`],
  [
    "eval",
    `const w = Object.entries({ ev: "al" }).flat().join("");\nexport const V = ({ s }) => window[w](s);`,
  ],
  [
    "eval",
    `const hidden = "ZXZhbA==";\nconst look = (k) => Reflect.get(window, atob(k));\nexport const W = ({ s }) => Reflect.apply(look(hidden), null, [s]);`,
  ],
  [
    "eval",
    `export const X = ({ s }) => { const q = []; q.push(Function); const f = q.pop(); return f(s)(); };`,
  ],
  [
    "script-injection",
    `const put = Object.getOwnPropertyDescriptor(Element.prototype, "outerHTML").set;\nexport const A = ({ h }) => <p ref={(p) => p && put.call(p, h)} />;`,
  ],
  [
    "script-injection",
    `const { set: put } = Reflect.getOwnPropertyDescriptor(Element.prototype, "inner" + "HTML");\nexport const B = ({ h }) => <p ref={(p) => p && Reflect.apply(put, p, [h])} />;`,
  ],
  [
    "script-injection",
    `export const C = ({ h }) => <p ref={(p) => p && Reflect.set(p, "inner".concat("HTML"), h)} />;`,
  ],
  [
    "script-injection",
    `const at = [["role", "button"], ["onclick", "parent.go()"]];\nexport const D = () => <p ref={(p) => { for (const [k, v] of at) p?.setAttribute(k, v); }} />;`,
  ],
  [
    "script-injection",
    `const at = { title: "x", onfocus: "parent.go()" };\nexport const E = () => <p ref={(p) => Object.keys(at).forEach((k) => p?.setAttribute(k, at[k]))} />;`,
  ],
  [
    "script-injection",
    `export const F = ({ kind, v }) => <p ref={(p) => p?.setAttribute(\`on\${kind}\`, v)} />;`,
  ],
  [
    "script-injection",
    `const T = ["base"][0];\nexport const G = () => <T href="https://assets.example/" />;`,
  ],
  [
    "script-injection",
    `const tags = { first: "base" };\nexport const H = () => <tags.first href="https://assets.example/" />;`,
  ],
  [
    "script-injection",
    `const p = { ["dangerously" + "SetInnerHTML"]: { __html: "<img src=x onerror=go()>" } };\nexport const I = ({ children }) => React.cloneElement(children, p);`,
  ],
  [
    "script-injection",
    `const bits = "<svg |onload=|go()>".split("|");\nexport const J = () => <p ref={(p) => p?.insertAdjacentHTML("beforeend", bits.join(""))} />;`,
  ],
  [
    "script-injection",
    `const bits = [..."a<b|b onclick=|cgo()>".matchAll(/[abc]([^|]+)/g)].map((m) => m[1]);\nexport const K = () => <p ref={(p) => p?.insertAdjacentHTML("beforeend", bits.join(""))} />;`,
  ],
  [
    "script-injection",
    `export const L = () => { const r = useRef(null); useEffect(() => { const b = r.current; b.setAttribute(b.dataset.k, b.dataset.v); }); return <b ref={r} data-k="onclick" data-v="go()" />; };`,
  ],
  [
    "script-injection",
    `const set = Element.prototype.setAttribute;\nexport const M = ({ k, v }) => <p ref={(p) => p && set.apply(p, [k, v])} />;`,
  ],
  [
    "script-injection",
    `export const N = ({ src }) => { useEffect(() => { const s = document.body.appendChild(document.createElement(["scr", "ipt"].join(""))); s.src = src; }); return null; };`,
  ],
  ["eval", `export const Y = ({ o }) => { const made = o.x["constructor"]; return keep(made); };`],
  ["eval", `export const Z = ({ el, s, t }) => el[s.split("").reverse().join("")](t);`],
  ["eval", `export const A2 = ({ o, k, t }) => Reflect.get(o, k)(t);`],
  ["script-injection", `export const O = ({ k, v }) => <p ref={(p) => p?.setAttribute(k, v)} />;`],
];
