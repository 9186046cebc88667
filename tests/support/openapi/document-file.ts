import { join } from "node:path";
import { repository } from "../cli.ts";

/** The committed document of the functions. */
export const documentFile: string = join(repository, "docs", "openapi.json");
