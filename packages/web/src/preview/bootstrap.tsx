/**
 * The only script of the preview page. It runs a stranger's component, and treats that code as hostile. The page's content security policy
 * (preview/page.ts) confines the code. This script removes the features that no policy covers. It talks through one port to the page that
 * contains the frame.
 */
import { Component, type ComponentType, h, render } from "preact";
import * as compat from "preact/compat";
import * as hooks from "preact/hooks";
import * as runtime from "preact/jsx-runtime";

// A content security policy does not stop peer connections and WebTransport, so their constructors are deleted.
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel", "WebTransport"]) {
  delete (globalThis as Record<string, unknown>)[name];
}

// Firefox has no permissions policy for the clipboard: after a click inside the frame, the component could write to the clipboard.
delete (Navigator.prototype as { clipboard?: unknown }).clipboard;

const MODULES: Record<string, unknown> = {
  preact: compat,
  "preact/compat": compat,
  "preact/hooks": hooks,
  "preact/jsx-runtime": runtime,
  react: compat,
  "react-dom": compat,
  "react-dom/client": compat,
  "react/jsx-runtime": runtime,
  "react/jsx-dev-runtime": runtime,
};

type Props = Record<string, unknown>;
type FromHost = { kind: "run"; code: string; props: Props } | { kind: "props"; props: Props };

const root = document.createElement("div");
document.body.append(root);
let shown: ComponentType<Props> | null = null;

addEventListener("message", connect);

function connect(event: MessageEvent): void {
  const [port] = event.ports;
  if (event.source !== parent || event.data !== "keyhub-preview" || !port) return;
  removeEventListener("message", connect);
  const post = port.postMessage.bind(port);
  const fail = (error: unknown) =>
    post({ kind: "error", message: String((error as Error)?.message ?? error).slice(0, 2_000) });
  addEventListener("error", ({ error, message }) => fail(error ?? message));
  addEventListener("unhandledrejection", ({ reason }) => fail(reason));
  port.onmessage = ({ data }: MessageEvent<FromHost>) => {
    try {
      if (data.kind === "run") shown = componentOf(data.code);
      if (shown) show(shown, data.props, fail);
    } catch (error) {
      fail(error);
    }
  };
  const size = () => post({ kind: "size", height: Math.ceil(root.getBoundingClientRect().height) });
  new ResizeObserver(size).observe(root);
  setInterval(() => post({ kind: "alive" }), 250);
  post({ kind: "ready" });
}

/** Returns the component that a CommonJS module exports: `module.exports` itself, the default export, or the first exported function. */
function componentOf(code: string): ComponentType<Props> {
  const module = { exports: {} as Record<string, unknown> };
  const require = (name: string): unknown => {
    if (Object.hasOwn(MODULES, name)) return MODULES[name];
    throw new Error(`import of "${name}" is not available in a preview`);
  };
  new Function("module", "exports", "require", "React", code)(module, module.exports, require, compat);
  const { exports } = module;
  const found = [exports, exports.default, ...Object.values(exports)].find(
    (one) => typeof one === "function",
  );
  if (!found) throw new Error("The source exports no component.");
  return found as ComponentType<Props>;
}

function show(component: ComponentType<Props>, props: Props, fail: (error: unknown) => void): void {
  render(null, root);
  render(<Boundary fail={fail}>{h(component, props)}</Boundary>, root);
}

/** Reports the error that a component throws while it is rendered. */
class Boundary extends Component<{ fail: (error: unknown) => void }, { failed: boolean }> {
  override state = { failed: false };

  override componentDidCatch(error: unknown): void {
    this.props.fail(error);
    this.setState({ failed: true });
  }

  override render() {
    return this.state.failed ? null : this.props.children;
  }
}
