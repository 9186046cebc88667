import type { Severity } from "../../finding.ts";
import type { Rule } from "../rule.ts";

/** Packages that run, load, render or send their arguments, grouped by what they do. */
const ROWS: readonly { id: string; severity: Severity; names: string }[] = [
  {
    // They run strings as code, or templates and attributes with expressions.
    id: "eval",
    severity: "low",
    names:
      "@mdx-js/mdx @mdx-js/runtime next-mdx-remote mdx-bundler react-live @babel/standalone sucrase buble esbuild-wasm vm2 isolated-vm quickjs-emscripten " +
      "@sebastianwessel/quickjs pyodide fengari fengari-web wasmoon brython expr-eval jexl safe-eval static-eval notevil eval5 sval jsonpath-plus node-serialize " +
      "serialize-to-js realistic-structured-clone alpinejs @alpinejs/csp petite-vue htmx.org hyperscript.org knockout ejs pug nunjucks eta dot doT handlebars " +
      "squirrelly art-template template7 velocityjs vega-interpreter blockly/javascript scratch-vm typescript @swc/wasm-web rollup @rollup/browser function-plot",
  },
  {
    // They load programs.
    id: "eval",
    severity: "low",
    names:
      "requirejs systemjs scriptjs loadjs load-script load-script2 little-loader react-script-loader react-load-script react-async-script react-inlinesvg-script " +
      "import-html-entry qiankun single-spa @module-federation/runtime @module-federation/enhanced @originjs/vite-plugin-federation @paciolan/remote-component " +
      "@paciolan/remote-module-loader remote-component micro-app @micro-zoe/micro-app wujie fetch-inject postscribe dynamic-import-polyfill es-module-shims " +
      "greenlet workerize comlink-loader threads blob-worker @shopify/web-worker @builder.io/partytown",
  },
  {
    // They turn strings into markup unchanged.
    id: "script-injection",
    severity: "low",
    names:
      "rehype-raw html-react-parser react-html-parser react-render-html react-jsx-parser dangerously-set-html-content html-to-react @pedrouid/html-to-react " +
      "react-innertext-html jsx-to-html insert-html innersvg lit-html/directives/unsafe-html lit-html/directives/unsafe-html.js lit/directives/unsafe-html.js " +
      "lit-html/directives/unsafe-svg.js lit/directives/unsafe-svg.js snabbdom-html interweave-raw react-shadow-html",
  },
  {
    // They report the user's actions to other hosts, or connect to them.
    id: "external-request",
    severity: "low",
    names:
      "rrweb @rrweb/record logrocket @fullstory/browser @openreplay/tracker mouseflow-react @hotjar/browser react-hotjar clarity-js @microsoft/clarity smartlook-client " +
      "@fingerprintjs/fingerprintjs @fingerprintjs/fingerprintjs-pro clientjs device-uuid evercookie peerjs simple-peer webtorrent gun mqtt paho-mqtt sockjs-client stompjs " +
      "@stomp/stompjs pusher-js ably nats.ws centrifuge signalr @microsoft/signalr jsonp fetch-jsonp xdomain easyxdm post-robot penpal keylogger.js hotkeys-recorder",
  },
];

const PACKAGES = new Map(
  ROWS.flatMap(({ id, severity, names }) => names.split(" ").map((name) => [name, { id, severity }])),
);

/** The name of a package, with its scope, at the beginning of a path. */
const NAME = /^(?:@[^/]+\/)?[^/]+/;

/** A file of types or of data. */
const NO_CODE = /\/types$|\/package\.json$/;

/** They turn strings into markup, and let tags in them pass. */
const MARKDOWN =
  /^(?:marked|showdown|markdown-it|remarkable|snarkdown|micromark|commonmark|drawdown|mustache|markdown|textile-js|asciidoctor|@asciidoctor\/core|wiki2html|bbcode|quill-delta-to-html|draft-js-export-html|draftjs-to-html)$/;
const SANITIZED = /sanitiz|purify|\bxss\b|escapeHtml|\bhtml\s*:\s*false/i;

function insertsMarkup(names: ReadonlyMap<string, boolean>): boolean {
  return names.has("__html") || names.has("innerHTML") || names.has("insertAdjacentHTML");
}

/** Imports of packages that run, load, render or send their arguments. */
export const packages: Rule = {
  id: "eval",
  severity: "low",
  onFile({ interpreter, source, report }) {
    const { names } = interpreter.program;
    for (const { node } of interpreter.program.sources) {
      if (MARKDOWN.test(node.value) && insertsMarkup(names) && !SANITIZED.test(source))
        report("script-injection", "low", node);
      if (NO_CODE.test(node.value)) continue;
      const known = PACKAGES.get(node.value) ?? PACKAGES.get(NAME.exec(node.value)?.[0] ?? "");
      if (known !== undefined) report(known.id, known.severity, node);
    }
  },
};
