/** Errors as callers receive them: the codes, the document of RFC 9457, and its rendering. */
export { isProblemCode, type ProblemCode, problems } from "./problems/codes.ts";
export { type Fault, type Problem, problem } from "./problems/document.ts";
export { PROBLEM_TYPE, type RenderedProblem, renderProblem, replyHeaders } from "./problems/render.ts";
