import type { Dangerous } from "./case.ts";
import { PLAIN_C_CODE } from "./plain-c-code.ts";
import { PLAIN_C_NETWORK } from "./plain-c-network.ts";

/** As ordinary people write them; measured before the rules were looked at. */
export const PLAIN_C: readonly Dangerous[] = [...PLAIN_C_CODE, ...PLAIN_C_NETWORK];
