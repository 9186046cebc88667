/**
 * Guards are marked in the schema files:
 *
 *     -- guard: a lease belongs to its pool
 *     -- without: where l.id = lease_id
 *     where l.id = lease_id and l.user_id = user_id
 *     -- end
 *
 * Taking one out puts the lines after `without:` (none, if there are none) in the place of those between the header and
 * `-- end`. A guard may hold others, or the same lines as another.
 */
import { createHash } from "node:crypto";
import type { SchemaFile } from "../../packages/local/src/schema/files.ts";

export interface Guard {
  name: string;
  /** Path of its schema file, such as `keys/21_lease.sql`. */
  path: string;
  /** The statement that holds it. */
  statement: string;
  /** SHA-256 of its code: tells whether that changed since a test was seen to fail without the guard. */
  sha256: string;
}

const HEADER = /^\s*-- guard: (.+)$/;
const WITHOUT = /^(\s*)-- without: (.*)$/;
const END = /^\s*-- end$/;

export function guardsOf({ path, text }: SchemaFile): Guard[] {
  const lines = text.split("\n");
  return lines.flatMap((line, at) => {
    const name = HEADER.exec(line)?.[1];
    if (name === undefined) return [];
    endOf(lines, at, path);
    const statement = statementAt(lines, at);
    return [{ name, path, statement, sha256: createHash("sha256").update(codeOf(statement)).digest("hex") }];
  });
}

/** The statement without what changes nothing: comments and the names of guards. What stands in a guard's place is code. */
const codeOf = (statement: string) =>
  statement.replace(/^\s*-- (?!guard: |without: |end$).*\n/gm, "").replace(/^(\s*-- guard): .*$/gm, "$1");

/** The statement without the guard. */
export function statementWithout({ name, path, statement }: Guard): string {
  const lines = statement.split("\n");
  const at = lines.findIndex((line) => HEADER.exec(line)?.[1] === name);
  const instead: string[] = [];
  for (let next = at + 1; ; next += 1) {
    const found = WITHOUT.exec(lines[next] ?? "");
    if (!found) break;
    instead.push(`${found[1]}${found[2]}`);
  }
  const end = endOf(lines, at, path);
  return [...lines.slice(0, at), ...instead, ...lines.slice(end + 1)].join("\n");
}

function endOf(lines: string[], at: number, path: string): number {
  let depth = 0;
  for (let next = at; next < lines.length; next += 1) {
    const line = lines[next] ?? "";
    if (HEADER.test(line)) depth += 1;
    else if (END.test(line)) depth -= 1;
    if (depth === 0) return next;
  }
  throw new Error(`${path}: the guard of line ${at + 1} has no end`);
}

/** From the line that begins a statement (`create`, `alter`, ...) to the line before the next one that does. */
function statementAt(lines: string[], at: number): string {
  const begins = (line: string) => /^(create|alter|comment|revoke|grant) /.test(line);
  let from = at;
  while (from > 0 && !begins(lines[from] ?? "")) from -= 1;
  let to = at + 1;
  while (to < lines.length && !begins(lines[to] ?? "")) to += 1;
  return lines.slice(from, to).join("\n").trim();
}
