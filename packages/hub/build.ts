import { buildPackage } from "../build.ts";

await buildPackage(import.meta.dirname);
