/**
 * Attempts to escape from the preview frame. Each function runs inside the frame, to which it is sent as text, so it can use nothing from
 * this file. An attack on the network requests `url`, whose path names the attack. One that needs no network returns true when it
 * succeeded.
 */
interface Target {
  url: string;
  /** The host and port of a UDP socket. */
  udp: string;
  /** The address of a listener that notices a connection even when no request follows. */
  tcp: string;
  /** The hash that allows the bootstrap to run. */
  hash: string;
}
type Attack = (target: Target) => unknown;

/** Attacks that use the network and leave the frame where it is. */
export const NETWORK: Record<string, Attack> = {
  fetch: ({ url }) => fetch(url, { mode: "no-cors" }),
  "fetch-keepalive": ({ url }) => fetch(url, { mode: "no-cors", keepalive: true, method: "POST", body: "x" }),
  "fetch-later": ({ url }) => (globalThis as never as { fetchLater(url: string): void }).fetchLater(url),
  xhr: ({ url }) => {
    const request = new XMLHttpRequest();
    request.open("GET", url);
    request.send();
  },
  beacon: ({ url }) => {
    navigator.sendBeacon(url, "x");
  },
  websocket: ({ url }) => {
    new WebSocket(url.replace("http", "ws"));
  },
  eventsource: ({ url }) => {
    new EventSource(url);
  },
  image: ({ url }) => {
    new Image().src = url;
  },
  "image-srcset": ({ url }) => {
    new Image().srcset = `${url} 1x`;
  },
  "image-markup": ({ url }) => document.body.insertAdjacentHTML("beforeend", `<img src="${url}">`),
  "svg-image": ({ url }) =>
    document.body.insertAdjacentHTML("beforeend", `<svg><image href="${url}"/></svg>`),
  "svg-use": ({ url }) => document.body.insertAdjacentHTML("beforeend", `<svg><use href="${url}#x"/></svg>`),
  "svg-filter": ({ url }) =>
    document.body.insertAdjacentHTML("beforeend", `<p style="filter:url(${url}#x)">x</p>`),
  "css-background": ({ url }) =>
    document.body.insertAdjacentHTML("beforeend", `<p style="background:url(${url})">x</p>`),
  "css-import": ({ url }) => document.head.insertAdjacentHTML("beforeend", `<style>@import "${url}"</style>`),
  "css-font": ({ url }) => {
    const style = `<style>@font-face{font-family:leak;src:url(${url})}</style><p style="font-family:leak">x</p>`;
    document.body.insertAdjacentHTML("beforeend", style);
  },
  "font-face": ({ url }) => new FontFace("other", `url(${url})`).load(),
  stylesheet: ({ url }) =>
    document.head.insertAdjacentHTML("beforeend", `<link rel="stylesheet" href="${url}">`),
  manifest: ({ url }) => document.head.insertAdjacentHTML("beforeend", `<link rel="manifest" href="${url}">`),
  icon: ({ url }) => document.head.insertAdjacentHTML("beforeend", `<link rel="icon" href="${url}">`),
  prefetch: ({ url }) => document.head.insertAdjacentHTML("beforeend", `<link rel="prefetch" href="${url}">`),
  prerender: ({ url }) =>
    document.head.insertAdjacentHTML("beforeend", `<link rel="prerender" href="${url}">`),
  preconnect: ({ tcp }) =>
    document.head.insertAdjacentHTML("beforeend", `<link rel="preconnect" href="${tcp}">`),
  "preload-image": ({ url }) =>
    document.head.insertAdjacentHTML("beforeend", `<link rel="preload" as="image" href="${url}">`),
  "preload-script": ({ url }) =>
    document.head.insertAdjacentHTML("beforeend", `<link rel="preload" as="script" href="${url}">`),
  "preload-fetch": ({ url }) =>
    document.head.insertAdjacentHTML(
      "beforeend",
      `<link rel="preload" as="fetch" crossorigin href="${url}">`,
    ),
  modulepreload: ({ url }) =>
    document.head.insertAdjacentHTML("beforeend", `<link rel="modulepreload" href="${url}">`),
  "preload-with-hash": ({ url, hash }) =>
    document.head.insertAdjacentHTML(
      "beforeend",
      `<link rel="preload" as="script" crossorigin integrity="sha256-${hash}" href="${url}">`,
    ),
  script: ({ url }) => {
    const script = document.createElement("script");
    script.src = url;
    document.head.append(script);
  },
  // The policy allows a script by its hash. A browser might also allow a script from another address that names that hash.
  "script-with-hash": ({ url, hash }) => {
    const script = document.createElement("script");
    script.integrity = `sha256-${hash}`;
    script.crossOrigin = "anonymous";
    script.src = url;
    document.head.append(script);
  },
  "module-with-hash": ({ url, hash }) => {
    const script = document.createElement("script");
    script.type = "module";
    script.integrity = `sha256-${hash}`;
    script.src = url;
    document.head.append(script);
  },
  "import()": ({ url }) => new Function("url", "return import(url)")(url),
  worker: ({ url }) => {
    new Worker(url);
  },
  "blob-worker": ({ url }) => {
    new Worker(URL.createObjectURL(new Blob([`importScripts("${url}")`])));
  },
  "data-worker": ({ url }) => {
    new Worker(`data:text/javascript,importScripts("${url}")`);
  },
  "shared-worker": ({ url }) => {
    new SharedWorker(url);
  },
  "service-worker": ({ url }) => navigator.serviceWorker.register(url),
  "audio-worklet": ({ url }) => new OfflineAudioContext(1, 1, 44_100).audioWorklet.addModule(url),
  "speculation-rules": ({ url }) => {
    const script = document.createElement("script");
    script.type = "speculationrules";
    script.textContent = JSON.stringify({
      prefetch: [{ source: "list", urls: [url], eagerness: "immediate" }],
    });
    document.head.append(script);
  },
  object: ({ url }) => document.body.insertAdjacentHTML("beforeend", `<object data="${url}"></object>`),
  embed: ({ url }) => document.body.insertAdjacentHTML("beforeend", `<embed src="${url}">`),
  video: ({ url }) => document.body.insertAdjacentHTML("beforeend", `<video src="${url}"></video>`),
  "video-poster": ({ url }) =>
    document.body.insertAdjacentHTML("beforeend", `<video poster="${url}"></video>`),
  audio: ({ url }) => {
    new Audio(url).load();
  },
  track: ({ url }) => {
    document.body.insertAdjacentHTML(
      "beforeend",
      `<video src="data:video/mp4,"><track default kind="subtitles" src="${url}"></video>`,
    );
    for (const track of document.querySelectorAll("track")) track.track.mode = "showing";
  },
  "child-frame": ({ url }) => document.body.insertAdjacentHTML("beforeend", `<iframe src="${url}"></iframe>`),
  "blob-child": ({ url }) => {
    const child = document.createElement("iframe");
    child.src = URL.createObjectURL(new Blob([`<img src="${url}">`], { type: "text/html" }));
    document.body.append(child);
  },
  "data-child": ({ url }) =>
    document.body.insertAdjacentHTML("beforeend", `<iframe src="data:text/html,<img src=${url}>"></iframe>`),
  "srcdoc-child": ({ url }) =>
    document.body.insertAdjacentHTML("beforeend", `<iframe srcdoc="<img src=${url}>"></iframe>`),
  "srcdoc-script": ({ url }) =>
    document.body.insertAdjacentHTML(
      "beforeend",
      `<iframe srcdoc="<script>new Image().src='${url}'</script>"></iframe>`,
    ),
  "srcdoc-refresh": ({ url }) =>
    document.body.insertAdjacentHTML(
      "beforeend",
      `<iframe srcdoc="<meta http-equiv=refresh content='0;url=${url}'>"></iframe>`,
    ),
  "javascript-child": ({ url }) =>
    document.body.insertAdjacentHTML("beforeend", `<iframe src="javascript:void fetch('${url}')"></iframe>`),
  form: ({ url }) => {
    document.body.insertAdjacentHTML("beforeend", `<form action="${url}"><input name="a" value="b"></form>`);
    document.forms[document.forms.length - 1]?.submit();
  },
  "form-blank": ({ url }) => {
    document.body.insertAdjacentHTML(
      "beforeend",
      `<form action="${url}" target="_blank" method="post"></form>`,
    );
    document.forms[document.forms.length - 1]?.submit();
  },
  popup: ({ url }) => {
    window.open(url);
  },
  "blank-link": ({ url }) => {
    const link = document.createElement("a");
    Object.assign(link, { href: url, target: "_blank", rel: "opener" });
    document.body.append(link);
    link.click();
  },
  ping: ({ url }) => {
    const link = document.createElement("a");
    Object.assign(link, { href: "#here", ping: url });
    document.body.append(link);
    link.click();
  },
  "top-navigation": ({ url }) => {
    (top as Window).location.href = url;
  },
  "top-link": ({ url }) => {
    const link = document.createElement("a");
    Object.assign(link, { href: url, target: "_top" });
    document.body.append(link);
    link.click();
  },
  "policy-report": ({ url }) => {
    const policy = `<meta http-equiv="Content-Security-Policy" content="img-src 'none'; report-uri ${url}">`;
    document.head.insertAdjacentHTML("beforeend", policy);
    new Image().src = "data:image/gif,";
  },
  webtransport: ({ url }) => {
    new WebTransport(url.replace("http:", "https:"));
  },
  /** The trap lists this attack as `stun` when a packet arrives. */
  "peer-connection": ({ udp }) => {
    const scope = globalThis as unknown as Record<string, typeof RTCPeerConnection>;
    const Peer = scope.RTCPeerConnection ?? scope.webkitRTCPeerConnection;
    const peer = new (Peer as typeof RTCPeerConnection)({ iceServers: [{ urls: `stun:${udp}` }] });
    peer.createDataChannel("x");
    return peer.createOffer().then((offer) => peer.setLocalDescription(offer));
  },
  "peer-connection-of-a-blank-child": ({ udp }) => {
    const child = document.createElement("iframe");
    document.body.append(child);
    const Peer = (child.contentWindow as unknown as { RTCPeerConnection: typeof RTCPeerConnection })
      .RTCPeerConnection;
    const peer = new Peer({ iceServers: [{ urls: `stun:${udp}` }] });
    peer.createDataChannel("x");
    return peer.createOffer().then((offer) => peer.setLocalDescription(offer));
  },
  "peer-connection-of-a-child": ({ udp }) => {
    const script = `p=new RTCPeerConnection({iceServers:[{urls:'stun:${udp}'}]});p.createDataChannel('x');p.createOffer().then(o=>p.setLocalDescription(o))`;
    document.body.insertAdjacentHTML("beforeend", `<iframe srcdoc="<script>${script}</script>"></iframe>`);
  },
};

/** Attempts without the network. An attempt that escaped returns true. */
export const LOCAL: Record<string, Attack> = {
  cookie: () => {
    // biome-ignore lint/suspicious/noDocumentCookie: the attack writes a cookie
    document.cookie = "stolen=1";
    return document.cookie !== "";
  },
  "local-storage": () => {
    localStorage.setItem("stolen", "1");
    return true;
  },
  "session-storage": () => {
    sessionStorage.setItem("stolen", "1");
    return true;
  },
  "indexed-db": () =>
    new Promise((resolve) => {
      indexedDB.open("stolen").onsuccess = () => resolve(true);
    }),
  caches: () => caches.open("stolen").then(() => true),
  "private-files": () => navigator.storage.getDirectory().then(() => true),
  "an-origin": () => origin !== "null",
  "parent-document": () => {
    const { body } = parent.document;
    body.dataset.owned = "1";
    return body.dataset.owned === "1";
  },
  "parent-global": () => Object.keys((parent as unknown as { document: object }).document).length >= 0,
  "parent-address": () => parent.location.href !== "",
  "frame-element": () => frameElement !== null,
  opener: () => opener !== null,
  confirm: () => confirm("Your password?"),
  prompt: () => prompt("Your password?") !== null,
  clipboard: () => navigator.clipboard.writeText("stolen").then(() => true),
  // If no policy covers the clipboard, one click of the user is enough for the attack.
  "clipboard-object": () => "clipboard" in navigator,
  fullscreen: () => document.documentElement.requestFullscreen().then(() => true),
  notification: () => Notification.permission === "granted",
  geolocation: () =>
    new Promise((resolve) =>
      navigator.geolocation.getCurrentPosition(
        () => resolve(true),
        () => resolve(false),
      ),
    ),
  camera: () => navigator.mediaDevices.getUserMedia({ video: true }).then(() => true),
  features: () => {
    const asked = ["camera", "clipboard-write", "fullscreen", "geolocation", "microphone", "payment", "usb"];
    const { featurePolicy } = document as unknown as { featurePolicy: { allowedFeatures(): string[] } };
    return featurePolicy.allowedFeatures().some((one) => asked.includes(one));
  },
};

/** Attacks that navigate the frame itself to another address, so each needs a frame of its own. */
export const NAVIGATION: Record<string, Attack> = {
  download: ({ url }) => {
    const link = document.createElement("a");
    Object.assign(link, { href: url, download: "x" });
    document.body.append(link);
    link.click();
  },
  location: ({ url }) => {
    location.href = url;
  },
  "location-replace": ({ url }) => location.replace(url),
  refresh: ({ url }) =>
    document.head.insertAdjacentHTML("beforeend", `<meta http-equiv="refresh" content="0;url=${url}">`),
  link: ({ url }) => {
    const link = document.createElement("a");
    link.href = url;
    document.body.append(link);
    link.click();
  },
  "written-page": ({ url }) => {
    document.open();
    document.write(`<script>new Image().src="${url}"</script><img src="${url}">`);
    document.close();
  },
  "data-page": ({ url }) => {
    location.href = `data:text/html,<img src="${url}">`;
  },
  "blob-page": ({ url }) => {
    location.href = URL.createObjectURL(new Blob([`<img src="${url}">`], { type: "text/html" }));
  },
  "javascript-page": ({ url }) => {
    location.href = `javascript:'<img src="${url}">'`;
  },
};

const ALL = { ...NETWORK, ...LOCAL, ...NAVIGATION };

/** The source of a component that runs the attacks named in its props, and shows the names of those that returned true. */
export const ATTACKER = `
import { useEffect, useState } from "react";
const attacks = {
${Object.entries(ALL)
  .map(([name, attack]) => `${JSON.stringify(name)}: ${attack.toString()}`)
  .join(",\n")}
};
export default function Attacker({ run = [], base, udp, tcp, hash }) {
  const [got, setGot] = useState([]);
  const [done, setDone] = useState(false);
  useEffect(() => {
    const all = run.map(async (name) => {
      const answer = await attacks[name]({ url: base + "/" + encodeURIComponent(name), udp, tcp, hash });
      if (answer === true) setGot((before) => [...before, name]);
    });
    // Some never answer.
    const enough = new Promise((resolve) => setTimeout(resolve, 300));
    if (run.length > 0) Promise.race([Promise.allSettled(all), enough]).then(() => setDone(true));
  }, []);
  return <output data-done={String(done)}>{JSON.stringify(got)}</output>;
}
`;

/** The source of a component that misbehaves in the way that its props name, and talks to the host like the bootstrap. */
export const ROGUE = `
let port;
const data = Object.getOwnPropertyDescriptor(MessageEvent.prototype, "data");
Object.defineProperty(MessageEvent.prototype, "data", {
  get() {
    port = this.currentTarget;
    return data.get.call(this);
  },
});
const modes = {
  hang: () => { for (;;); },
  "eat memory": () => {
    const kept = [];
    setInterval(() => kept.push(...Array.from({ length: 40 }, () => new Array(100_000).fill(Math.random()))));
    return <p>eats</p>;
  },
  throw: () => { throw new Error("<img src=x onerror=alert(1)><b id=owned>no</b>"); },
  tall: () => <p style={{ height: 90000 }}>tall</p>,
  pollute: () => {
    Object.prototype.kind = "size";
    Object.prototype.height = 800;
    Array.prototype.map = () => { throw new Error("polluted"); };
    return <p>still drawn</p>;
  },
  flood: () => { setInterval(() => { for (let i = 0; i < 5000; i++) port.postMessage({ kind: "alive" }); }); return null; },
  "flood of the window": () => {
    setInterval(() => { for (let i = 0; i < 500; i++) parent.postMessage({ kind: "error", message: "<b id=owned>" }, "*"); });
    return <p>flooding</p>;
  },
  lies: () => {
    for (const lie of [null, 7, "error", { kind: "__proto__" }, { kind: "size", height: Infinity }, { kind: "size", height: "1e9" },
      { kind: "size", height: -5000 }, { kind: "error", message: { toString: null } }, { kind: "error", message: "<b id=owned>lie</b>" }])
      port.postMessage(lie);
    return <p>lied</p>;
  },
};
export default ({ mode }) => (mode ? modes[mode]() : <p>waits</p>);
`;
