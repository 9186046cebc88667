import type { Dangerous } from "./case.ts";
import { DISGUISED_E_CODE } from "./disguised-e-code.ts";
import { DISGUISED_E_NETWORK } from "./disguised-e-network.ts";

/** Written after a hostile review, before anything was mended for it; two thirds of what was written. */
export const DISGUISED_E: readonly Dangerous[] = [...DISGUISED_E_CODE, ...DISGUISED_E_NETWORK];
