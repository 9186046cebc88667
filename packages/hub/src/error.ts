import type { Problem } from "./problem.ts";

/** What every call of the hub rejects with. */
export class HubError extends Error {
  override name = "HubError";
  readonly problem: Problem;

  constructor(problem: Problem, cause: unknown) {
    super(`${problem.code}: ${problem.title}`, { cause });
    this.problem = problem;
  }

  /** The stable code to decide by. */
  get code(): Problem["code"] {
    return this.problem.code;
  }
}
