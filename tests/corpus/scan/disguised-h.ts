import type { Dangerous } from "./case.ts";
import { CODE_H } from "./disguised-h-code.ts";
import { NETWORK_H } from "./disguised-h-network.ts";

/** Written along with the rules for what is lost on the way: reflection, iterators, codes and prototypes. */
export const DISGUISED_H: readonly Dangerous[] = [...CODE_H, ...NETWORK_H];
