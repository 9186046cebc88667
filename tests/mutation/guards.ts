import { breakerMutations } from "./breaker-guards.ts";
import { editMutations } from "./edit-guards.ts";
import { handOutMutations } from "./hand-out-guards.ts";
import { leaseRequestMutations } from "./lease-request-guards.ts";
import type { Mutation } from "./mutation.ts";
import { reportMutations, steadyMutations } from "./report-guards.ts";
import { togetherMutations } from "./together-guards.ts";

/** Every guard of the key service. */
export const mutations: Mutation[] = [
  ...handOutMutations,
  ...reportMutations,
  ...steadyMutations,
  ...togetherMutations,
  ...editMutations,
  ...breakerMutations,
  ...leaseRequestMutations,
];
