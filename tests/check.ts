/**
 * `npm run check`: runs the formatter, the linters and the type check, and checks line budgets and generated files, but runs no test. It is
 * meant to be run often while somebody writes code. Two slow checks are skipped if their inputs have not changed since they last passed:
 * Deno's check of the functions, and the database types, which need Postgres.
 */
import { join, relative } from "node:path";
import { repository } from "./support/cli.ts";
import { functionChecks } from "./support/function-checks.ts";
import { isFresh, pages, types } from "./support/generated.ts";
import { lineBudgets } from "./support/line-budgets.ts";
import { oneWord } from "./support/one-word.ts";
import { rememberedCheck } from "./support/remembered-check.ts";
import { type Check, codeChecks, runChecks } from "./support/static-checks.ts";

const stale = (file: string) => `${relative(repository, file)} is stale: npm run generate`;

const pageChecks: Check[] = pages.map((page) => ({
  name: `${relative(repository, page.file)} is what npm run generate writes`,
  run: async () => ((await isFresh(page)) ? undefined : stale(page.file)),
}));

const migrations = join(repository, "supabase", "migrations");
const typesCheck: Check = {
  name: "database types are those of the migrations",
  run: async () => ((await isFresh(types)) ? undefined : stale(types.file)),
};

const started = performance.now();
const sources = [join(repository, "supabase", "functions"), join(repository, "packages", "core", "src")];
const failed = await runChecks([
  ...codeChecks,
  lineBudgets,
  oneWord,
  ...functionChecks.map((check) => rememberedCheck(check, sources)),
  ...pageChecks,
  rememberedCheck(typesCheck, [migrations, types.file]),
]);
const seconds = ((performance.now() - started) / 1000).toFixed(1);
console.log(failed === 0 ? `all is well (${seconds} s)` : `${failed} failed (${seconds} s)`);
process.exitCode = failed === 0 ? 0 : 1;
