import type { HubProblem } from "./problem.ts";

/** The error with which every failed call of the hub rejects. */
export class HubError extends Error {
  override name = "HubError";
  readonly problem: HubProblem;

  constructor(problem: HubProblem, cause: unknown) {
    super(`${problem.code}: ${problem.title}`, { cause });
    this.problem = problem;
  }

  /** The stable code, by which a program tells errors apart. */
  get code(): HubProblem["code"] {
    return this.problem.code;
  }
}
