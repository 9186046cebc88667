/**
 * Nothing inline, nothing from elsewhere but pictures and the project's API. The only frame is the preview, so a
 * component that runs in it can navigate nowhere else.
 */
export function pageCsp(apiOrigin: string, previewUrl: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' https: data: ${apiOrigin}`,
    "font-src 'self'",
    `connect-src 'self' ${apiOrigin}`,
    `frame-src ${previewUrl}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join("; ");
}

/** An embed card: anybody may frame it, and it holds no script. */
export function embedCsp(apiOrigin: string): string {
  return `default-src 'none'; style-src 'self'; img-src 'self' https: data: ${apiOrigin}; frame-ancestors *; base-uri 'none'; form-action 'none'`;
}

/** A drawing opened by itself. */
export const PICTURE_CSP = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
