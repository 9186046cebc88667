// Netlify Edge Function: dist/client is the published folder, and its files are answered before this is asked.
import { createSite } from "../index.ts";

declare const Netlify: { env: { get(name: string): string | undefined } };

export default (request: Request): Promise<Response> =>
  createSite({
    supabaseUrl: Netlify.env.get("SUPABASE_URL") ?? "",
    publishableKey: Netlify.env.get("SUPABASE_PUBLISHABLE_KEY") ?? "",
    sealKey: Netlify.env.get("KEYHUB_SEAL_KEY") ?? "",
    onError: (error, requestId) => console.error(requestId, error),
  })(request);

export const config = {
  path: "/*",
  excludedPath: ["/assets/*", "/pictures/*", "/favicon.svg", "/robots.txt"],
};
