import { readEnvironment, type ToolEnvironment, type Variables } from "@keyhub/cli/source";
import { repositoryRoot } from "../settings/paths.ts";

/** The settings of the tools of this repository. */
export function readToolEnvironment(variables?: Variables): ToolEnvironment {
  return readEnvironment(repositoryRoot, variables);
}
