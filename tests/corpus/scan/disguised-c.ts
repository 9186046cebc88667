import type { Dangerous } from "./case.ts";
import { DISGUISED_C_CODE } from "./disguised-c-code.ts";
import { DISGUISED_C_NETWORK } from "./disguised-c-network.ts";

/** Written without a look at the rules or at the other parts; measured before anything was mended. */
export const DISGUISED_C: readonly Dangerous[] = [...DISGUISED_C_CODE, ...DISGUISED_C_NETWORK];
