export { isLoopback, isPrivateHost } from "./address.ts";
export { holdsAgentToken } from "./agent-token.ts";
export { requestHeaders, responseHeaders, secureReply } from "./headers.ts";
export { targetOf, withoutAgentTokens, withoutParameter } from "./target.ts";
export { readUpstreams, type Upstream, type UpstreamOptions, type Upstreams } from "./upstreams.ts";
