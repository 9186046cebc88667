import type { Dangerous } from "./case.ts";
import { CODE_G } from "./disguised-g-code.ts";
import { NETWORK_G } from "./disguised-g-network.ts";

/** Written along with the rules that find them. */
export const DISGUISED_G: readonly Dangerous[] = [...CODE_G, ...NETWORK_G];
