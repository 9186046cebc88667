const many = (count: number, make: (index: number) => string, between = "") =>
  Array.from({ length: count }, (_, index) => make(index)).join(between);
/** Returns one text of `n` pieces that is used at `n / 4` places. */
const reused = (piece: string, use: string, n: number) =>
  `const h="${piece.repeat(n)}";${use.repeat(n >> 2)}`;

/** Sources in which a single step copies or reads much. Each function makes a source of size `n`. */
export const HEAVY_SHAPES: Record<string, (n: number) => string> = {
  "markup written at many places": (n) => reused("<a\\tx ", "e.innerHTML=h;", n >> 3),
  "markup shown at many places": (n) => reused("&lt;b ", "document.write(h);", n),
  "texts added to themselves at many places": (n) =>
    `let x='';${reused("http://", "x=x+h;new Function(x+x);", n)}`,
  "a style at many places": (n) => reused("url( ", "e.style.background=h;", n),
  "base64 at many places": (n) => reused("aHR0", "fetch(atob(h));", n),
  "a text encoded at many places": (n) => reused("é://", "fetch(encodeURIComponent(h));", n),
  "a text taken apart at many places": (n) => reused("ab", 'fetch([...h].reverse().join(""));', n),
  "JSON read at many places": (n) =>
    `const h='[${"1,".repeat(n)}1]';${"fetch(JSON.parse(h)[0]);".repeat(n >> 3)}`,
  "a pattern at many places": (n) =>
    `const h="${"a".repeat(2000)}";${"fetch(h.match(/a*b/g)[0]);".repeat(n)}`,
  "a pattern that copies what is before": (n) =>
    `const h="${"a".repeat(2000)}";${`fetch(h.replace(/a/g,"${"$`".repeat(90)}"));`.repeat(n >> 4)}`,
  "combining marks": (n) => reused("\u0315\u0316", "fetch(h.normalize());", n),
  "an object spread at many places": (n) =>
    `const o={${many(n, (i) => `a${i}:1`, ",")}};${"f({...o}.b);".repeat(n >> 2)}`,
  "setters in a ring": (n) =>
    `const o={};${many(n, (i) => `o.a${i}=o.a${(i + 1) % n};`)}${many(n, (i) => `o.a${i}();`)}`,
  "one global written and called": (n) => `${many(n, (i) => `window.a=f${i};`)}${"window.a();".repeat(n)}`,
  "computed members of a class": (n) =>
    `class A{${many(n, (i) => `["a"+${i}](){}`)}}const o=new A();${many(n >> 1, (i) => `o.b${i}();`)}`,
  "parts of a parameter": (n) =>
    `function f({${many(n, (i) => `a${i}`, ",")}}){${many(n >> 1, (i) => `a${i}();`)}}${"f(x);".repeat(n >> 1)}`,
  "a long list made in a function": (n) =>
    `function f(a){return [${"1,".repeat(n)}a]};${many(n >> 2, (i) => `fetch(f(${i})[0]);`)}`,
  "a long sum made in a function": (n) =>
    `function f(a){return ""+${'"a"+'.repeat(n)}a};${many(n >> 2, (i) => `fetch(f(${i}));`)}`,
  "a table of encoded texts": (n) =>
    `const t=[${many(n, (i) => `"aHR0${i}"`, ",")}];function d(i){return atob(t[i-16])}${many(n, (i) => `fetch(d(${i}));`)}`,
  "a giant switch": (n) =>
    `function f(x){switch(x){${many(n, (i) => `case ${i}:return "http://a${i}";`)}}}${many(n >> 3, (i) => `fetch(f(${i}));`)}`,
  "names looked up through many blocks": (n) =>
    `${many(200, (i) => `{let a${i};`)}${many(n, (i) => `b${i}();`)}${"}".repeat(200)}`,
};
