// biome-ignore-all lint/suspicious/noTemplateCurlyInString: sources are quoted
/** Returns a typical card, numbered so that no two are the same. */
function card(n: number): string {
  return `interface Props${n} { title: string; items?: Array<{ id: number; label: string }>; onPick?(id: number): void }
export function Card${n}({ title, items = [], onPick }: Props${n}) {
  const [open, setOpen] = useState<boolean>(false);
  const total = items.reduce((sum, item) => sum + item.id * ${n}, 0);
  const label = \`\${title} (\${total})\`;
  async function load() {
    const response = await fetch("/api/items/" + total + "?q=" + encodeURIComponent(title));
    if (!response.ok) throw new Error("failed " + response.status);
    return (await response.json()) as Array<{ id: number }>;
  }
  return (
    <div className="card" onClick={() => setOpen(!open)}>
      <h3 style={{ color: open ? "red" : "blue", padding: ${n % 13} }}>{label}</h3>
      {items.map((item) => (<li key={item.id} onClick={() => onPick?.(item.id)}>{item.label}</li>))}
      <button onClick={load}>Load</button>
    </div>
  );
}
`;
}

/** Returns a harmless TSX component of about the given length. */
export function longComponent(length: number): string {
  const parts = ['import React, { useState } from "react";\n'];
  let size = 0;
  for (let n = 1; size < length - 1000; n++) {
    const next = card(n);
    parts.push(next);
    size += next.length;
  }
  return parts.join("");
}

const many = (count: number, make: (index: number) => string, between = "") =>
  Array.from({ length: count }, (_, index) => make(index)).join(between);

/** Sources whose cost could grow faster than their size. Each function makes a source of size `n`. */
export const SHAPES: Record<string, (n: number) => string> = {
  "a sum of many texts": (n) => `fetch(${many(n, (i) => `"a${i % 10}"`, "+")})`,
  "many texts appended": (n) => `let s = "";${'s+="ab";'.repeat(n)}fetch(s)`,
  "appended in a loop": (n) => `let s = "";for(;;){${'s+="ab";'.repeat(n)}}fetch(s)`,
  "a chain of aliases": (n) => `const a0=eval;${many(n, (i) => `const a${i + 1}=a${i};`)}a${n}("x")`,
  "texts that double": (n) => `const a0="x";${many(n, (i) => `const a${i + 1}=a${i}+a${i};`)}fetch(a${n})`,
  "lists that double": (n) =>
    `const a0=[1];${many(n, (i) => `const a${i + 1}=[...a${i},...a${i}];`)}fetch(a${n}.join())`,
  "objects that double": (n) =>
    `const a0={e:eval};${many(n, (i) => `const a${i + 1}={...a${i},...a${i}};`)}a${n}.b("x")`,
  "choices that multiply": (n) =>
    `const a0=c?"x":"y";${many(n, (i) => `const a${i + 1}=(c?a${i}:a${i}+"z")+(c?a${i}:"w");`)}fetch(a${n})`,
  "functions that call one another": (n) =>
    `${many(n, (i) => `function f${i}(x){return f${(i + 1) % n}(x)+f${(i + 7) % n}(x)}`)}fetch(f0(1))`,
  "one function called everywhere": (n) => `function f(u){fetch(u)}${many(n, (i) => `f("/a${i}");`)}`,
  "getters that read one another": (n) =>
    `const o={${many(n, (i) => `get a${i}(){return this.a${(i + 1) % n}+this.a${(i + 3) % n}}`, ",")}};fetch(o.a0)`,
  "a class of many members": (n) =>
    `class A{${many(n, (i) => `a${i}=1;`)}m(){${many(n, (i) => `this.a${i}();`)}}}`,
  "a long list decoded": (n) =>
    `const a=[${"104,".repeat(n)}];fetch(a.map((c)=>String.fromCharCode(c^1)).join(""))`,
  "a template of many holes": (n) => `fetch(\`${"${a}b".repeat(n)}\`)`,
  "many tags in markup": (n) => `el.innerHTML="${"<a b=c ".repeat(n)}"`,
  "a script link of spaces": (n) => `a.href="javascript:${" ;".repeat(n)}x"`,
  "a code that is run, of spaces": (n) => `Function("return this${" ".repeat(n)}x")()`,
  "a style of spaces": (n) => `el.style.cssText="a:url(${" ".repeat(n)}x"`,
  "nested parentheses": (n) => `${"(".repeat(n)}1${")".repeat(n)}`,
  "nested arrows": (n) => `${"(a)=>".repeat(n)}1`,
  "nested blocks": (n) => `${"{".repeat(n)}${"}".repeat(n)}`,
  "nested JSX": (n) => `${"<a>".repeat(n)}${"</a>".repeat(n)}`,
  "nested templates": (n) => `${"`${".repeat(n)}1${"}`".repeat(n)}`,
  "nested choices": (n) => `${"a?(b):".repeat(n)}c`,
  "nested with statements": (n) => `${"with(a){".repeat(n)}eval(1)${"}".repeat(n)}`,
  "a chain of members": (n) => `a${".b()".repeat(n)}`,
  "open generics": (n) => "f<T<".repeat(n),
  "quotes that open": (n) => '"'.repeat(n),
  "escaped quotes that open": (n) => '"\\'.repeat(n),
  "labels over and over": (n) => "a:".repeat(n),
  "quotes behind a name declared twice": (n) => `let a;let a;${'"'.repeat(n)}`,
  "comments on one line": (n) => "/* */".repeat(n),
  "lists inside lists": (n) =>
    `const a0=[1];${many(n, (i) => `const a${i + 1}=[a${i},a${i}];`)}fetch(""+a${n})`,
  "lists joined to themselves": (n) =>
    `const a0=[1];${many(n, (i) => `const a${i + 1}=a${i}.concat(a${i});`)}fetch(a${n}.join())`,
  "texts put into texts": (n) =>
    `const a0="aa";${many(n, (i) => `const a${i + 1}=a${i}.replaceAll("a",a${i}).replace(/a/g,a${i});`)}fetch(a${n})`,
  "texts joined by texts": (n) =>
    `const a0="aa";${many(n, (i) => `const a${i + 1}=a${i}.split("a").join(a${i}.repeat(9));`)}fetch(a${n})`,
  "callbacks inside callbacks": (n) =>
    `const a=[1,2,3,4,5,6,7,8];fetch(${"a.map((x)=>".repeat(n)}1${")".repeat(n)})`,
  "names given over and over": (n) => `let u="a";${'u=u+"b";'.repeat(n)}fetch(u)`,
  "properties given over and over": (n) => `const o={};${'o.k=o.k+"a";'.repeat(n)}fetch(o.k)`,
  "bound over and over": (n) => `eval${".bind(null)".repeat(n)}("x")`,
};
