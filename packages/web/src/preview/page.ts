/** The bundled bootstrap, and the hash that allows only this script to run. */
export interface PreviewScript {
  code: string;
  /** The SHA-256 of the code in base64. */
  hash: string;
}

/** The browser features that components may not use. */
const NO_FEATURES = [
  "accelerometer",
  "ambient-light-sensor",
  "autoplay",
  "bluetooth",
  "camera",
  "clipboard-read",
  "clipboard-write",
  "display-capture",
  "encrypted-media",
  "fullscreen",
  "gamepad",
  "geolocation",
  "gyroscope",
  "hid",
  "idle-detection",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "picture-in-picture",
  "publickey-credentials-get",
  "screen-wake-lock",
  "serial",
  "usb",
  "web-share",
  "xr-spatial-tracking",
];

/**
 * Returns the page in which a component runs. It is a separate page, because a `srcdoc` would inherit the policy of the page that contains
 * the frame. The sandbox gives the page an opaque origin. The policy allows no network, no frames, and no script but the bootstrap, which
 * needs `'unsafe-eval'` to run the component's code.
 */
export function previewPage(script: PreviewScript, siteOrigin: string): Response {
  const policy = [
    "sandbox allow-scripts",
    "default-src 'none'",
    `script-src 'sha256-${script.hash}' 'unsafe-eval'`,
    "style-src 'unsafe-inline'",
    "img-src data: blob:",
    "font-src data:",
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${siteOrigin}`,
  ];
  // The hash in the first policy also allows `<script src>` with an `integrity` of that hash, so a component could make the browser request
  // any address. A script must satisfy both policies, and this second one allows no address.
  const noAddress = ["script-src 'unsafe-inline' 'unsafe-eval'"];
  const body = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Preview</title><style>body{margin:1rem;font:16px/1.5 system-ui,sans-serif;color:#1c1d2b;background:#fff}</style></head><body><script>${script.code}</script></body></html>`;
  return new Response(body, {
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": [policy, noAddress].map((one) => one.join("; ")).join(", "),
      "Permissions-Policy": NO_FEATURES.map((name) => `${name}=()`).join(", "),
      "Referrer-Policy": "no-referrer",
      "X-Content-Type-Options": "nosniff",
      "X-DNS-Prefetch-Control": "off",
      "X-Robots-Tag": "noindex",
      "Cache-Control": "public, max-age=300",
    },
  });
}
