import { withDatabase } from "../postgres/connection.ts";
import { diffDatabases, withSchemaDatabase } from "../schema/diff.ts";
import { CommandFailure, readOptions, runCommand } from "./command.ts";
import { runningDatabase } from "./running-stack.ts";

const usage = "npm run db:apply [-- --drop]";

/**
 * `npm run db:apply`: changes the database of the running stack in one transaction so that it matches the schema files. A change that would
 * lose rows is refused without --drop. For development only: a hosted project gets migrations.
 */
async function dbApply(): Promise<void> {
  const { drop } = readOptions({ drop: { type: "boolean" } }, usage);
  const url = runningDatabase();
  if (url === undefined) throw new CommandFailure("no stack is running: npm start first");
  let sql: string;
  try {
    sql = await withSchemaDatabase(url, (declared) => diffDatabases(url, declared));
  } catch (error) {
    throw new CommandFailure((error as Error).message);
  }
  if (sql === "") {
    process.stdout.write("nothing to do: the running stack already matches the schema files\n");
    return;
  }
  const loss = /^\s*(DROP TABLE|DROP SCHEMA|ALTER TABLE [^;]*?DROP COLUMN)\s+(?:"[^"]*"\.?)+/m.exec(sql)?.[0];
  if (loss && !drop)
    throw new CommandFailure(
      `this would lose rows: ${loss.trim()} …; to do it anyway: npm run db:apply -- --drop`,
    );
  try {
    // The notification makes REST read the schema again.
    await withDatabase(url, (db) => db.unsafe(`begin;\n${sql};\nnotify pgrst, 'reload schema';\ncommit;`));
  } catch (error) {
    throw new CommandFailure(`nothing was applied: ${(error as Error).message}`);
  }
  process.stdout.write(`${sql}\n\napplied; the migration: npm run db:diff -- <name>\n`);
}

await runCommand(dbApply);
