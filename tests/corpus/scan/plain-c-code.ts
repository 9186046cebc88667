// biome-ignore-all lint/suspicious/noTemplateCurlyInString: sources are quoted
import type { Dangerous } from "./case.ts";

const raw = String.raw;

/** What runs code that is not its own: eval and script injection. */
export const PLAIN_C_CODE: readonly Dangerous[] = [
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
