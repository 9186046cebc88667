/** Writes the list of patterns in `private.secret_patterns()` from core's registry of formats, so that only one place defines them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type PortablePattern, secretPatterns } from "../../packages/core/src/redact/index.ts";
import { repository } from "./cli.ts";

export const secretPatternsFile = join(repository, "supabase", "schemas", "hub", "11_text.sql");

/** Matches the function up to the end of its rows. Group 1, the text before the rows, stays; the rows are replaced. */
const ROWS = /(create function private\.secret_patterns\(\)[^$]*\$\$[^$]*?\n {2}values\n)[\s\S]*?(?=\n\$\$;)/;

export function committedSecretPatterns(): string {
  return readFileSync(secretPatternsFile, "utf8");
}

/** Returns the schema file with these patterns. */
export function withSecretPatterns(
  schema: string,
  patterns: readonly PortablePattern[] = secretPatterns,
): string {
  if (!ROWS.test(schema)) throw new Error("private.secret_patterns() has no rows to write");
  return schema.replace(ROWS, (_, head: string) => head + secretPatternRows(patterns));
}

export function secretPatternRows(patterns: readonly PortablePattern[]): string {
  return patterns.map(({ rule, pattern }) => `    (${quoted(rule)}, ${quoted(pattern)})`).join(",\n");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
