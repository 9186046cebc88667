// Cloudflare Worker: `wrangler deploy`, with dist/client as its static assets, which Cloudflare answers before it asks here.
import { createSite } from "../index.ts";

interface Environment {
  SUPABASE_URL: string;
  SUPABASE_PUBLISHABLE_KEY: string;
  KEYHUB_SEAL_KEY?: string;
  SITE_URL?: string;
}

export default {
  fetch: (request: Request, env: Environment): Promise<Response> =>
    createSite({
      supabaseUrl: env.SUPABASE_URL,
      publishableKey: env.SUPABASE_PUBLISHABLE_KEY,
      sealKey: env.KEYHUB_SEAL_KEY ?? "",
      ...(env.SITE_URL ? { siteUrl: env.SITE_URL } : {}),
      onError: (error, requestId) => console.error(requestId, error),
    })(request),
};
