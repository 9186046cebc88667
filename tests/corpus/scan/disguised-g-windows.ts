// biome-ignore-all lint/suspicious/noTemplateCurlyInString: sources are quoted
import type { Dangerous } from "./case.ts";

/** Programs of other windows, keys that are put in order, policies and pages of blobs, written along with the rules that find them. */
export const MORE_CODE_G: readonly Dangerous[] = [
  ["eval", "export function run(win,c){ return new win.Function(c)() }"],
  [
    "eval",
    "const k=['l','a','v','e'].sort((a,b)=>b.localeCompare(a)).join(''); export const A=({c})=>window[k](c)",
  ],
  [
    "eval",
    "const k=[['tor',1],['construc',0]].sort((a,b)=>a[1]-b[1]).map(x=>x[0]).join(''); export const A=({c})=>isNaN[k](c)()",
  ],
  [
    "eval",
    "const k=[[3,'l'],[0,'e'],[2,'a'],[1,'v']].toSorted(([a],[b])=>a-b).map(([,c])=>c).join('');export const A=({c})=>globalThis[k](c)",
  ],
  [
    "eval",
    "const o={2:'a',0:'e',3:'l',1:'v'};const k=Object.keys(o).map(i=>o[i]).join('');export const A=({c})=>self[k](c)",
  ],
  [
    "eval",
    "const k='tcuronstroc'.split('').sort(()=>Math.random()-.5).join('');export const A=({c})=>isNaN[k](c)()",
  ],
  [
    "eval",
    "const {eval:{value:run}}=Object.getOwnPropertyDescriptors(globalThis);export const A=({c})=>run(c)",
  ],
  ["eval", "const d=Object.getOwnPropertyDescriptors(window);export const A=({k,c})=>d[k].value(c)"],
  [
    "eval",
    "const d=Object.getOwnPropertyDescriptors(Function.prototype);export const A=({c})=>d.constructor.value(c)()",
  ],
  [
    "script-injection",
    "const s=Object.getOwnPropertyDescriptors(Element.prototype).innerHTML.set;export const A=({h})=><p ref={p=>s.call(p,'<img src=x onerror=alert(1)>')}/>",
  ],
  [
    "eval",
    "for(const [k,d] of Object.entries(Object.getOwnPropertyDescriptors(window))) if(k.length===4) d.value(code)",
  ],
  [
    "script-injection",
    "const p=trustedTypes.createPolicy('a',{createScriptURL:u=>u,createScript(s){return s}})",
  ],
  ["script-injection", "const {trustedTypes:t}=window;const p=t&&t.createPolicy('a',{createHTML:String})"],
  [
    "script-injection",
    "const id=x=>x;export const p=self.trustedTypes?.['createPolicy']('default',{createHTML:id})",
  ],
  ["script-injection", "const p=trustedTypes.createPolicy('a',{createHTML:h=>`${h}`})"],
  [
    "script-injection",
    "export const A=({c})=>{const b=new Blob(['<script>',c,'</script>'],{type:'text/html'});open(URL.createObjectURL(b));return null}",
  ],
  [
    "script-injection",
    "export const A=({c})=><object data={URL.createObjectURL(new File([`<svg onload=${c}>`],'a.svg',{type:'image/svg+xml'}))}/>",
  ],
];
