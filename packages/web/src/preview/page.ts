/** The bundled bootstrap and the hash that lets it, and nothing else, run. */
export interface PreviewScript {
  code: string;
  /** SHA-256 in base64. */
  hash: string;
}

/** Browser features that no component may use. */
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
 * The page in which a component runs. A page of its own, not `srcdoc`: that would inherit the host's policy. The sandbox gives
 * it an opaque origin, the policy no network, no frames and no script but the bootstrap; `'unsafe-eval'` is how the
 * component's code runs.
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
  // A hash also lets a script through that comes from elsewhere and names it in `integrity`: the request would go out. Of two
  // policies each must allow it, and this one knows no address.
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
