import { describe } from "vitest";
import { onDeno } from "../support/service.ts";
import { answersSuite } from "./hub/answers.ts";
import { openHub } from "./hub/fixture.ts";
import { organizationsSuite } from "./hub/organizations.ts";
import { problemsSuite } from "./hub/problems.ts";

/* Tests @keyhub/hub over HTTP, with the functions in Deno, through every kind of client. */

const bench = openHub((db) => onDeno(db, undefined, ["hub-publish", "hub-import", "hub-picture"]));

describe("answers", () => answersSuite(bench));
describe("organizations", () => organizationsSuite(bench));
describe("problems", () => problemsSuite(bench));
