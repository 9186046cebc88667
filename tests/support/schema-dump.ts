import type postgres from "postgres";
import { withDatabase } from "../../packages/local/src/index.ts";
import { grants } from "./schema/grants.ts";
import { beginnings, comments, functions, unknown } from "./schema/others.ts";
import { relations } from "./schema/relations.ts";

/**
 * Returns schemas public and private as readable SQL. Equal schemas give the same text, whatever the order in which their objects were
 * made: objects are sorted by name, and each object's statements are together.
 */
export async function dumpSchema(url: string): Promise<string> {
  return await withDatabase(url, (sql) =>
    // With an empty search_path Postgres qualifies every name that it prints.
    sql.begin("isolation level repeatable read read only", async (tx) => {
      await tx`set local search_path = ''`;
      const odd = await blocks(tx, unknown);
      if (odd.size > 0) throw new Error(`the schema dump does not know ${[...odd.keys()].join(", ")}`);
      const text: string[] = [];
      const rest = await blocks(tx, [...grants, ...comments]);
      for (const queries of [beginnings, relations, functions]) {
        for (const [object, statements] of [...(await blocks(tx, queries))].sort(byName)) {
          text.push([...statements, ...(rest.get(object) ?? [])].join("\n"), "");
          rest.delete(object);
        }
      }
      if (rest.size > 0) throw new Error(`the schema dump has no place for ${[...rest.values()].join(" ")}`);
      return text.join("\n");
    }),
  );
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** Returns the statements of each object, in the order of the queries. */
async function blocks(tx: postgres.TransactionSql, queries: string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const query of queries) {
    for (const [object, statement] of await tx.unsafe(query, ["{public,private}"]).values()) {
      found.set(object, [...(found.get(object) ?? []), statement]);
    }
  }
  return found;
}
