import { Command, CommanderError } from "commander";
import { addKeys } from "./commands/add.ts";
import { findKey, lastFourOf } from "./commands/find.ts";
import { explainKey, listAgents, listKeys, listPools } from "./commands/look.ts";
import { readSince, undoReports } from "./commands/undo.ts";
import { connect } from "./database/connect.ts";
import type { ProjectDatabase } from "./database/database.ts";
import { readEnvironment } from "./environment.ts";
import { CommandFailure, describe } from "./failure.ts";
import { addHubCommands } from "./hub/program.ts";
import { readEntry } from "./input/entry.ts";
import { readInput } from "./input/read-input.ts";
import { say } from "./output.ts";
import { readSealer } from "./seal-key.ts";

/** The failure for wrong arguments. It ends the command with exit code 2. */
class UsageFailure extends CommandFailure {}

interface Options {
  user?: string;
  provider?: string;
  priority?: string;
  account?: string;
  from?: string;
  agent?: string;
  since?: string;
  dryRun?: boolean;
  disable?: boolean;
  json?: boolean;
}

const AFTER = `
Which project: SUPABASE_DB_URL, or SUPABASE_URL and SUPABASE_SECRET_KEY, from the file that KEYHUB_ENV_FILE names,
the environment, or .env.local. Exit codes: 0; 1 refused or not found; 2 wrong arguments.`;

/** Runs `keyhub <arguments>` and returns the exit code. Never prints arguments, because an argument may be a key in the wrong place. */
export async function main(args: string[]): Promise<0 | 1 | 2> {
  // The reader of a pipe may close it early (`| head -1`); this is not an error.
  process.stdout.on("error", () => process.exit(0));
  try {
    await program().parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      say("Keyhub: the arguments are not what is expected; see: keyhub --help");
      return 2;
    }
    say(`Keyhub: ${describe(error)}`);
    return error instanceof UsageFailure ? 2 : 1;
  }
}

function program(): Command {
  const root = new Command("keyhub")
    .description("Manages Keyhub's pools of keys, and uses its hub.")
    .exitOverride();
  // Commander's own messages would repeat the arguments.
  root.configureOutput({ writeErr: () => {} });
  const keys = root
    .command("keys")
    .description("Add keys to a pool, and look at them.")
    .addHelpText("after", AFTER);
  const command = (name: string, description: string) =>
    keys
      .command(name)
      .description(description)
      .option("--json", "JSON on standard output, for programs")
      .allowExcessArguments(false);

  command("add [file]", "Seal keys and add them: lines, name=key, a CSV, an env file, a LiteLLM config.")
    .requiredOption(
      "--user <user>",
      "the owner of the pool: an id, or with SUPABASE_DB_URL an e-mail address",
    )
    .option(
      "--from <format>",
      "lines, csv, env or litellm, or a file; by default the name of the file decides",
    )
    .option("--provider <name>", "the provider of keys that name none")
    .option("--priority <number>", "the priority of keys that name none; a higher one is leased first")
    .option("--account <name>", "the account of keys that name none; keys of one account share its limits")
    .option("--dry-run", "say what would be added, and write nothing")
    .action(add);
  command("list", "All keys, with their state and its reason.")
    .option("--user <user>", "one pool")
    .option("--provider <name>", "one provider")
    .action((options: Options) =>
      look(options, (database, show) => listKeys(database, show, options.provider?.toLowerCase() ?? null)),
    );
  command("why <key>", "Why a key (its id or name) is in its state, and who leased it last.")
    .option("--user <user>", "one pool")
    .action((key: string, options: Options) =>
      look(options, (database, show) => explainKey(database, show, key)),
    );
  command(
    "find [last-four]",
    "Which pools have a key, and who used it: the key on standard input, or its last four characters.",
  )
    .option("--disable", "disable it wherever it is found")
    .action((text: string | undefined, options: Options) => {
      const lastFour = text === undefined ? null : lastFourOf(text);
      if (text !== undefined && lastFour === null)
        throw new UsageFailure("give the last four characters, or the whole key on standard input");
      const { disable = false, json = false } = options;
      return withDatabase((database) => findKey(database, { lastFour, disable, json }));
    });
  command("pools", "How many keys of each provider are available, limited, cooling down, disabled.")
    .option("--user <user>", "one pool")
    .action((options: Options) => look(options, listPools));
  command("agents", "The agents that may lease keys.")
    .option("--user <user>", "one pool")
    .action((options: Options) => look(options, listAgents));
  command(
    "undo",
    "Enable keys that reports have disabled; with --agent, also lift all blocks of its reports.",
  )
    .requiredOption(
      "--user <user>",
      "the owner of the pool: an id, or with SUPABASE_DB_URL an e-mail address",
    )
    .requiredOption("--since <time>", "such as 2h, 30m, 1d or 2026-11-26T14:05:00Z")
    .option("--agent <agent>", "id or name")
    .option("--provider <name>", "only keys of one provider; not with --agent")
    .action(undo);
  addHubCommands(root);
  return root;
}

async function add(file: string | undefined, options: Options): Promise<void> {
  const { provider, priority, account, dryRun = false, json = false } = options;
  // The options must satisfy the same rules as the fields of an entry. None of them may be a key.
  const defaults = readOptionsOfKeys({
    ...(provider && { provider }),
    ...(priority && { priority }),
    ...(account && { account }),
  });
  const environment = readEnvironment(process.cwd());
  // The seal key is tested first, so that a bad one is reported before the user types keys.
  const sealer = await readSealer(environment.need("KEYHUB_SEAL_KEY"));
  const input = await readInput(options.from, file, (name) => process.env[name]);
  await withDatabase(async (database) => {
    const user = await needUser(database, options.user ?? "");
    await addKeys(database, sealer, input, { ...defaults, user, dryRun, json });
    say(
      `sealed to the pair ${sealer.kid} (KEYHUB_SEAL_KEY of ${environment.source("KEYHUB_SEAL_KEY")}), project ${database.host}`,
    );
  });
}

function readOptionsOfKeys(raw: { provider?: string; priority?: string; account?: string }) {
  try {
    return readEntry("the arguments", { ...raw, key: "none" });
  } catch (error) {
    throw new UsageFailure(describe(error));
  }
}

async function undo({ user = "", since: text = "", agent, provider, json = false }: Options): Promise<void> {
  const since = readSince(text, new Date());
  if (since === null)
    throw new UsageFailure("--since is a time in the past, such as 2h or 2026-11-26T14:05:00Z");
  if (agent !== undefined && provider !== undefined)
    throw new UsageFailure("--agent and --provider exclude each other");
  await withDatabase(async (database) =>
    undoReports(database, {
      user: await needUser(database, user),
      since,
      agent: agent ?? null,
      provider: provider?.toLowerCase() ?? null,
      json,
    }),
  );
}

/** Runs a command that only reads the database: the pool of --user, or all pools without --user. */
function look(
  { user, json = false }: Options,
  work: (database: ProjectDatabase, show: { user: string | null; json: boolean }) => Promise<void>,
): Promise<void> {
  return withDatabase(async (database) =>
    work(database, { user: user === undefined ? null : await needUser(database, user), json }),
  );
}

async function needUser(database: ProjectDatabase, idOrEmail: string): Promise<string> {
  const user = await database.findUser(idOrEmail.trim());
  if (user === null) throw new CommandFailure("no user of this project matches --user");
  return user;
}

async function withDatabase(work: (database: ProjectDatabase) => Promise<void>): Promise<void> {
  const database = await connect(readEnvironment(process.cwd()));
  try {
    await work(database);
  } finally {
    await database.end();
  }
}
