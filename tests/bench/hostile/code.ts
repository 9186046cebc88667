import { randomFrom } from "../../fixtures/redact/generate.ts";
import { HEAVY_SHAPES } from "../../unit/scan/shapes.ts";
import { type Shape, texts, times } from "./shapes.ts";

/** Statements and expressions that the scan evaluates. Any sequence of them is a valid program. */
const STATEMENTS = [
  "const a0=b;",
  "let x=x+y;",
  "var v=v;",
  "a.b.c=d;",
  "f(g(h));",
  "fetch(u);",
  'fetch("https://a.b/"+x);',
  'fetch("https://a.b/c?token=sk-proj-aB3dE5fG7hJ9kL1mN3pQ5");',
  "eval(a);",
  "new Function(x)();",
  "setTimeout(s,1);",
  "e.innerHTML=h;",
  "document.write(h);",
  "location.href=u;",
  `location=\`https://\${a}\`;`,
  'const t=["a","b","c"].reverse().join("");',
  'x=atob("aHR0cHM6Ly9hLmI=");',
  'x=x.replace(/a/g,"b");',
  "x=String.fromCharCode(104,116,116,112);",
  'window["ev"+"al"](x);',
  "({a,b,...c})=>a;",
  "function f(a){return a+f(a)}",
  "class A{b(){return this.c}static d=1}",
  "for(const k of o){k()}",
  "if(a){b()}else{c()}",
  "switch(a){case 1:b()}",
  "try{a()}catch{b()}",
  "const {a,b:[c]}=d;",
  "o[k]=v;",
  "o.a=o.b;o.b=o.c;o.c=o.a;",
  "JSON.parse('{\"a\":1}');",
  "<div dangerouslySetInnerHTML={{__html:h}}/>;",
  "<a href={u}>{x}</a>;",
  '<img src="http://a.b/c.png"/>;',
  "import('https://a.b/c');",
  "/* a */ a();",
  "// a\n",
  '"a";',
  `\`a\${b}\`;`,
  "1;",
  ";",
];
/** Beginnings and ends of constructs, from which nested sources are made. */
const BRACKETS = [
  ["{", "}"],
  ["(", ")"],
  ["[", "]"],
  ["f(", ")"],
  ["()=>{", "}"],
  ["a?b:(", ")"],
  ["`${", "}`"],
  ["{a:", "}"],
  ["<a>", "</a>"],
  ["if(a){", "}"],
  ["function f(){", "}"],
  ["!", ""],
  ["a+", "b"],
  ["a=", "b"],
] as const;

/** Returns sources of components: known expensive ones, repeated statements, mixtures of them, and texts that are not programs. */
export function sources(seed: number, count: number): Shape[] {
  const shapes: Shape[] = [
    ...Object.entries(HEAVY_SHAPES).map(([name, make]) => ({ name, always: true, make: bySize(make) })),
    ...STATEMENTS.map((statement) => ({
      name: `${JSON.stringify(statement)} again and again`,
      always: true,
      make: (size: number) => times(statement, size),
    })),
    ...BRACKETS.map(([open, close]) => ({
      name: `${open} … ${close} 50 deep`,
      always: true,
      make: (size: number) => times(`${open.repeat(50)}0${close.repeat(50)};`, size),
    })),
  ];
  const wild = texts(seed, Math.ceil(count / 4));
  for (let n = 0; shapes.length < count - wild.length; n++) shapes.push(program(seed * 100_033 + n));
  return [...shapes, ...wild].slice(0, count);
}

function program(seed: number): Shape {
  const random = randomFrom(seed);
  const draw = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  const drawn = Array.from({ length: 1 + Math.floor(random() * 6) }, () => draw(STATEMENTS));
  const [open, close] = draw(BRACKETS);
  const depth = 1 + Math.floor(random() * 8);
  const name = `program ${seed}: ${drawn.join("").slice(0, 50)}`;
  const unit = drawn.join("");
  const way = Math.floor(random() * 4);
  const make = [
    (size: number) => times(unit, size),
    // Each repetition has other names.
    (size: number) => {
      let text = "";
      for (let n = 0; text.length < size; n++)
        text += unit.replace(/\b[a-z]\b/g, (name) => `${name}${n % 2000}`);
      return text;
    },
    (size: number) => times(`${open.repeat(depth)}0${close.repeat(depth)};${unit}`, size),
    (size: number) => {
      const next = randomFrom(seed + 7);
      let text = "";
      while (text.length < size) text += STATEMENTS[Math.floor(next() * STATEMENTS.length)];
      return text;
    },
  ][way] as Shape["make"];
  return { name, make };
}

/** Turns a maker that takes a number of pieces into a maker that takes a size, and fills it with as many pieces as fit, but at least 16. */
function bySize(make: (n: number) => string): Shape["make"] {
  return (size) => {
    const [small, large] = [make(512).length, make(1024).length];
    let n = Math.max(16, Math.floor(((size - small) * 512) / (large - small)) + 512);
    let text = make(n);
    while (text.length > size && n > 16) {
      n = Math.floor(Math.min(n * 0.99, (n * size) / text.length));
      text = make(n);
    }
    return text;
  };
}
