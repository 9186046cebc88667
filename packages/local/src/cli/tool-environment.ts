import { readEnvironment, type ToolEnvironment, type Variables } from "@keyhub/cli/source";
import { repositoryRoot } from "../settings/paths.ts";

/** Returns the settings for the tools of this repository, from `variables` (by default the environment) and the env file. */
export function readToolEnvironment(variables?: Variables): ToolEnvironment {
  return readEnvironment(repositoryRoot, variables);
}
