export type { Finding, Severity } from "./finding.ts";
export { SOURCE_LIMIT, scanComponent } from "./scan.ts";
