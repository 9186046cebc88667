import type { ScanRule } from "../../../packages/core/src/scan/index.ts";

/** A component and the rule that must be among its findings. */
export type Dangerous = readonly [rule: ScanRule, source: string];
