import type { Dangerous } from "./case.ts";
import { CODE_G } from "./disguised-g-code.ts";
import { NETWORK_G } from "./disguised-g-network.ts";
import { MORE_NETWORK_G } from "./disguised-g-unseen.ts";
import { MORE_CODE_G } from "./disguised-g-windows.ts";

/** Written along with the rules that find them. */
export const DISGUISED_G: readonly Dangerous[] = [...CODE_G, ...NETWORK_G, ...MORE_CODE_G, ...MORE_NETWORK_G];
