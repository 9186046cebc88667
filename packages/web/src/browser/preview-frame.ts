import { compile } from "./compile.ts";
import { exampleProps } from "./props.ts";
import { propsForm } from "./props-form.ts";

interface Run {
  source: string;
  place: HTMLElement;
  title: string;
  /** The JSON Schema of the component's props. */
  schema: unknown;
}

/** The time in milliseconds between two checks of the frame. The frame sends the message `alive` at the same interval. */
const LOOK = 250;
/**
 * The largest number of checks in a row without a message (three seconds). After one more, the frame is removed. The code counts checks
 * instead of reading a clock, because in a background tab or on a sleeping machine, checks and messages are delayed alike.
 */
const SILENT_LOOKS = 12;
/** The largest number of messages between two checks. More would block the page, so the frame is removed. */
const FLOOD = 1_000;
const TALLEST = 900;

type FromFrame =
  | { kind: "ready" | "alive" }
  | { kind: "size"; height: number }
  | { kind: "error"; message: string };

/** Runs a component in a sandboxed frame, and shows a form for the component's props below. */
export async function runPreview({ source, place, title, schema }: Run): Promise<void> {
  place.replaceChildren(note("Compiling …"));
  let code: string;
  try {
    code = await compile(source);
  } catch (error) {
    place.replaceChildren(
      note(`The source does not compile: ${error instanceof Error ? error.message : error}`),
    );
    return;
  }
  const frame = document.createElement("iframe");
  // Set the attributes before the address, so that they apply to the page that the frame loads.
  frame.setAttribute("sandbox", "allow-scripts");
  frame.setAttribute("allow", "");
  frame.referrerPolicy = "no-referrer";
  frame.title = `Preview of ${title}`;
  frame.src =
    document.querySelector<HTMLMetaElement>('meta[name="keyhub-preview"]')?.content ?? "/preview.html";
  const status = note("");
  const props = propsForm(schema, exampleProps(schema));
  place.replaceChildren(frame, status, props.element);

  const { port1, port2 } = new MessageChannel();
  let heard = 0;
  let spoken = 0;
  let silent = 0;
  let watch: ReturnType<typeof setInterval> | undefined;
  const stop = () => {
    clearInterval(watch);
    removeEventListener("message", overhear);
  };
  const close = (reason: string) => {
    stop();
    port1.close();
    frame.remove();
    status.textContent = reason;
  };
  const look = () => {
    silent = heard === 0 ? silent + 1 : 0;
    heard = 0;
    spoken = 0;
    if (!frame.isConnected) stop();
    else if (silent > SILENT_LOOKS) close("The component stopped answering, so its frame was closed.");
  };
  // The component may also send messages to the window. They are only counted, because they do not prove that the bootstrap is alive.
  const overhear = ({ source }: MessageEvent) => {
    if (source === frame.contentWindow) spoken += 1;
    if (spoken > FLOOD) close("The component sent too much, so its frame was closed.");
  };
  addEventListener("message", overhear);
  port1.onmessage = ({ data }: MessageEvent<unknown>) => {
    heard += 1;
    if (heard > FLOOD) return close("The component sent too much, so its frame was closed.");
    const message = data as FromFrame;
    switch (message?.kind) {
      case "ready":
        port1.postMessage({ kind: "run", code, props: props.read() ?? {} });
        break;
      case "size":
        if (Number.isFinite(message.height))
          frame.height = String(Math.min(TALLEST, Math.max(120, message.height + 40)));
        break;
      case "error":
        status.textContent = `The component failed: ${String(message.message).slice(0, 500)}`;
        break;
      default:
      // Ignore `alive`, and anything that a hostile component sends.
    }
  };
  props.onChange((value) => {
    status.textContent = "";
    port1.postMessage({ kind: "props", props: value });
  });
  // The frame's origin is opaque, so a target origin cannot be given. "*" is safe, because the frame can show only the preview page.
  const greet = () => {
    frame.contentWindow?.postMessage("keyhub-preview", "*", [port2]);
    // The checks start when the page is loaded: loading may be slow, and the component does not run before that.
    watch = setInterval(look, LOOK);
  };
  frame.addEventListener("load", greet, { once: true });
}

function note(text: string): HTMLParagraphElement {
  const element = document.createElement("p");
  element.className = "quiet";
  element.setAttribute("role", "status");
  element.textContent = text;
  return element;
}
