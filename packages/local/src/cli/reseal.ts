import { NOBODY, readSealer } from "@keyhub/cli/source";
import { type Keyring, readKeyring } from "@keyhub/core/seal";
import postgres from "postgres";
import { CommandFailure, readOptions, runCommand } from "./command.ts";
import { resealKeys } from "./reseal-keys.ts";
import { readToolEnvironment } from "./tool-environment.ts";

const usage = "npm run reseal [-- --force]";

/** `npm run reseal`: reseals every key to the pair of KEYHUB_SEAL_KEY, with its fingerprint, while the service runs. Safe to run again. */
async function reseal(): Promise<void> {
  const { force } = readOptions({ force: { type: "boolean" } }, usage);
  const environment = readToolEnvironment();
  const url = environment.need("SUPABASE_DB_URL");
  const sealer = await readSealer(environment.need("KEYHUB_SEAL_KEY"));
  const keyring = await readPrivateKeys(environment.need("KEYHUB_UNSEAL_KEYS"));
  // Without the private key of KEYHUB_SEAL_KEY, the functions could not open any key afterwards.
  if (!force && (await keyring.open(await sealer.seal(NOBODY, "probe"), NOBODY)) === null) {
    throw new CommandFailure(
      "KEYHUB_UNSEAL_KEYS does not hold the private key of KEYHUB_SEAL_KEY, so nothing could open the result; " +
        "give the functions that key first (or, if they have it, repeat with --force)",
    );
  }

  const sql = connect(url);
  try {
    const result = await resealKeys(sql, { keyring, sealer });
    say(
      `${result.resealed} re-sealed, ${result.already} already newest, ${result.unopened.length} cannot be opened`,
    );
    // Names are free text: quoting escapes control characters for the terminal.
    for (const { id, key_name: name } of result.unopened)
      say(`  cannot be opened: ${id} ${JSON.stringify(name)}`);
    for (const { id, key_name: name } of result.twice)
      say(`  the pool has this key a second time: ${id} ${JSON.stringify(name)}; delete one of the two`);
    if (result.left > 0) say(`${result.left} were added or changed meanwhile: run it again`);
    if (result.unopened.length + result.left > 0) process.exitCode = 1;
  } catch (error) {
    throw databaseFailure(error);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function readPrivateKeys(text: string): Promise<Keyring> {
  try {
    return await readKeyring(text);
  } catch {
    throw new CommandFailure('KEYHUB_UNSEAL_KEYS is not a JSON list of {"kid", "key"}; see: npm run keygen');
  }
}

function connect(url: string): postgres.Sql {
  try {
    return postgres(url, {
      max: 1,
      // Do not use prepared statements: a pooler may give each transaction another connection.
      prepare: false,
      onnotice: () => {},
      connect_timeout: 10,
      connection: { application_name: "keyhub" },
    });
  } catch {
    throw new CommandFailure("SUPABASE_DB_URL is not a Postgres URL");
  }
}

/** Returns a failure with only the code of a database error, because messages and details may contain values of a row. */
function databaseFailure(error: unknown): unknown {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== "string") return error;
  const missing = code === "42P01" || code === "42883" || code === "42703";
  const cause = missing ? "it lacks Keyhub's tables; apply the migrations (supabase db push)" : code;
  return new CommandFailure(`the database of SUPABASE_DB_URL does not answer as it should: ${cause}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

await runCommand(reseal);
