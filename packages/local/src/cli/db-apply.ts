import { withDatabase } from "../postgres/connection.ts";
import { diffDatabases, withSchemaDatabase } from "../schema/diff.ts";
import { CommandFailure, readOptions, runCommand } from "./command.ts";
import { runningDatabase } from "./running-stack.ts";

const usage = "npm run db:apply [-- --drop]";

/**
 * `npm run db:apply`: brings what the schema files declare into the stack that runs, in one transaction. Rows stay; what would
 * lose some is refused without --drop. For development: a hosted project gets migrations.
 */
async function dbApply(): Promise<void> {
  const { drop } = readOptions({ drop: { type: "boolean" } }, usage);
  const url = runningDatabase();
  if (url === undefined) throw new CommandFailure("no stack runs: npm start first");
  let sql: string;
  try {
    sql = await withSchemaDatabase(url, (declared) => diffDatabases(url, declared));
  } catch (error) {
    throw new CommandFailure((error as Error).message);
  }
  if (sql === "") {
    process.stdout.write("nothing to do: the stack has what the schema files declare\n");
    return;
  }
  const loss = /^\s*(DROP TABLE|DROP SCHEMA|ALTER TABLE [^;]*?DROP COLUMN)\s+(?:"[^"]*"\.?)+/m.exec(sql)?.[0];
  if (loss && !drop)
    throw new CommandFailure(
      `rows would be lost by: ${loss.trim()} …; if you mean it: npm run db:apply -- --drop`,
    );
  try {
    // Where REST keeps a copy of the schema, it reads it again.
    await withDatabase(url, (db) => db.unsafe(`begin;\n${sql};\nnotify pgrst, 'reload schema';\ncommit;`));
  } catch (error) {
    throw new CommandFailure(`nothing was applied: ${(error as Error).message}`);
  }
  process.stdout.write(`${sql}\n\napplied; the migration: npm run db:diff -- <name>\n`);
}

await runCommand(dbApply);
