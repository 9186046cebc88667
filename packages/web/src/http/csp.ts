/**
 * Returns the content security policy of pages. It allows nothing inline, and nothing from other sites except pictures and the project's
 * API. The only allowed frame is the preview page, so a component in that frame cannot navigate the frame to another page.
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

/** Returns the policy of an embedded card: any site may frame it, and it runs no script. */
export function embedCsp(apiOrigin: string): string {
  return `default-src 'none'; style-src 'self'; img-src 'self' https: data: ${apiOrigin}; frame-ancestors *; base-uri 'none'; form-action 'none'`;
}

/** The policy of an SVG that somebody opens as a page instead of in an `<img>`. */
export const PICTURE_CSP = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
