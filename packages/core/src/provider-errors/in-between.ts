import { between } from "./entry.ts";
import type { AnswerEntry } from "./types.ts";

/** Answers of proxies, firewalls, API gateways and login pages. They say nothing about the key, whatever their status is. */
export const IN_BETWEEN: readonly AnswerEntry[] = [
  between("envoy", "Envoy and Istio, plain-text bodies of their filters", {
    phrases: `
      rbac: access denied | stream timeout | jwt is missing | jwks no matched | upstream connect error | no healthy upstream
    `,
  }),
  between("cloudflare-error", "Cloudflare 1xxx and 5xx errors, the plain-text form for API clients", {
    form: "text",
    phrases: String.raw`
      error code: (?:10(?:0[013678789]|1[025689]|20|33)|50[24]|52\d|530)\b | error 10(?:15|20)\b | cloudflare ray id |
      attention required! \| cloudflare
    `,
  }),
  between("litellm-between", "LiteLLM proxy: its own keys and routing", {
    phrases: "litellm virtual key | no connected db | no deployments available | cooldown list",
  }),
  between("vercel", "Vercel error codes", {
    phrases: `
      function invocation (?:timeout|failed) | serverless function has timed out | vercel security checkpoint
    `,
  }),
  between("firewall", "firewalls, proxies, and relays without an upstream", {
    phrases: String.raw`
      missing authentication token | tunnel connection failed | err ngrok | proxyconnect tcp | web page blocked | zscaler |
      fortiguard | blocked by your administrator | squid | blue coat | captive portal | sorry, you have been blocked |
      please enable cookies | cloudflare detected | blocked by cloudflare | (?:due to|by) waf | waf block |
      web application firewall | access denied by security policy | blocked by network policy | your request was blocked |
      bot detected | blocked[ -]by[ -](?:a |the )?(?:gateway|proxy|firewall)\b | unable to connect to proxy |
      proxy authentication required | has been blocked … waf | may be sending automated queries | 无可用渠道 |
      no available (?:accounts|upstream|candidate) | x-portkey- | x-deny-reason | host[ _]not[ _]allowed | cf-mitigated | cf-error |
      cf[ -]chl | (?:403|http 403) cloudflare | cloudflare 403 | forbidden by administrative rules | proxy denied |
      denied by (?:the )?proxy | proxy refused | proxy returned | egress … (?:blocked|denied|not allowed) | egress polic |
      not in the egress | netskope | forcepoint | umbrella block
    `,
  }),
  between("page-for-parser", "the words of JSON parsers that were given a page", {
    phrases: String.raw`
      unexpected token '?< | is not valid json … <!doctype | unexpected character: '<' | invalid character '<' looking for |
      html (?:response|error page) | html instead of json | just a moment\.\.\. | unrecognized token '<' | got text/html |
      mimetype: text/html
    `,
  }),
];
