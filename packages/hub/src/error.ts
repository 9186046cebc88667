import type { Problem } from "./problem.ts";

/** The error with which every call of the hub rejects. */
export class HubError extends Error {
  override name = "HubError";
  readonly problem: Problem;

  constructor(problem: Problem, cause: unknown) {
    super(`${problem.code}: ${problem.title}`, { cause });
    this.problem = problem;
  }

  /** The stable code, for decisions of programs. */
  get code(): Problem["code"] {
    return this.problem.code;
  }
}
