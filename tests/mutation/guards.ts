import { editMutations } from "./edit-guards.ts";
import { handOutMutations } from "./hand-out-guards.ts";
import type { Mutation } from "./mutation.ts";
import { reportMutations, steadyMutations, togetherMutations } from "./report-guards.ts";

/** Every guard of the key service. */
export const mutations: Mutation[] = [
  ...handOutMutations,
  ...reportMutations,
  ...steadyMutations,
  ...togetherMutations,
  ...editMutations,
];
