export { isLoopback, isPrivateHost } from "./address.ts";
export { requestHeaders, responseHeaders } from "./headers.ts";
export { targetOf, withoutParameter } from "./target.ts";
export { readUpstreams, type Upstream, type UpstreamOptions, type Upstreams } from "./upstreams.ts";
