import { ASSET_TYPES, LICENSES } from "@keyhub/core/hub";
import { type Command, InvalidArgumentError, Option } from "commander";
import { readEnvironment } from "../environment.ts";
import {
  diff,
  get,
  type ImportFlags,
  importInto,
  login,
  logout,
  type PublishFlags,
  publish,
  type SearchOptions,
  saying,
  search,
  show,
} from "./commands.ts";
import { serveMcp } from "./mcp.ts";
import { type HubSession, openHub } from "./session.ts";

const AFTER = `
Which project: SUPABASE_URL and SUPABASE_PUBLISHABLE_KEY, from the file that KEYHUB_ENV_FILE names, the environment, or
.env.local. Exit codes: 0; 1 refused or not found; 2 wrong arguments.`;

const SORTS = ["relevance", "newest", "recently_updated", "most_installed", "most_starred"];

/** Returns a parser for whole numbers from 1 to `most`. It refuses any other argument. */
const whole =
  (most = 2_147_483_647) =>
  (text: string): number => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < 1 || number > most) throw new InvalidArgumentError("");
    return number;
  };

/** Adds the commands `keyhub hub …` and `keyhub mcp`. */
export function addHubCommands(root: Command): void {
  const hub = root
    .command("hub")
    .description("Find, import and publish assets of the hub.")
    .addHelpText("after", AFTER);
  const command = (name: string, description: string) =>
    hub
      .command(name)
      .description(description)
      .option("--json", "JSON on standard output, for programs")
      .allowExcessArguments(false);

  command("search [words...]", "Listings by words and filters.")
    .addOption(new Option("--type <type>", "one type").choices(ASSET_TYPES))
    .option("--tag <tag>", "one tag")
    .addOption(new Option("--license <license>", "one license").choices(LICENSES))
    .addOption(new Option("--sort <sort>", "the order").choices(SORTS))
    .option("--limit <number>", "the most listings, up to 100", whole(100))
    .action((words: string[], options: SearchOptions) =>
      within((session) => search(session, words.join(" "), options)),
    );
  command("show <slug>", "What a listing is, its license, and what it needs.").action(
    (slug: string, options) => within((session) => show(session, slug, options)),
  );
  command("get <slug>", "Write the asset as a file of the tool that it was made with.")
    .option("--as <form>", "keyhub, or one of the forms that show lists")
    .option("-o, --output <file>", "another name; - is standard output")
    .option("--version <number>", "another version than the current one", whole())
    .action((slug: string, options) => within((session) => get(session, slug, options)));
  command("import <what>", "Copy a listing, or a file of any known tool, into your workspace.")
    .option("--remix", "as a remix of the listing")
    .option("--version <number>", "another version than the current one", whole())
    .option("--dry-run", "say what would be made, and write nothing")
    .action((what: string, options: ImportFlags) => within((session) => importInto(session, what, options)));
  command("publish <file>", "Import a file and publish it.")
    .option("--title <text>", "by default the file's own")
    .option("--description <text>", "by default the file's own")
    .option("--tags <list>", "separated by commas; by default the file's own")
    .addOption(new Option("--license <license>", "platform-free unless given").choices(LICENSES))
    .option("--price <cents>", "with --license paid: 100 to 100000 cents of the hub's currency", whole())
    .option("--teaser <text>", "with --license paid: what everybody reads instead of the content")
    .option("--accept-findings", "publish even if the scan of a component has findings")
    .option("--dry-run", "show what would be public and what would be removed, and write nothing")
    .action((file: string, options: PublishFlags) => within((session) => publish(session, file, options)));
  command("diff <slug>", "What changed between two versions.")
    .requiredOption("--from <number>", "the earlier version", whole())
    .option("--to <number>", "the later version; by default the current one", whole())
    .action((slug: string, options) => within((session) => diff(session, slug, options)));
  hub
    .command("login <email>")
    .description("Log in; the password comes from standard input, and a terminal does not show it.")
    .action((email: string) => within((session) => login(session, email)));
  hub
    .command("logout")
    .description("Forget the session.")
    .action(() => within(logout));
  root
    .command("mcp")
    .description(
      "Serve the hub to an agent: MCP over standard input and output, with the rights of the logged-in user.",
    )
    .action(() => within(serveMcp));
}

async function within(work: (session: HubSession) => Promise<void>): Promise<void> {
  const session = await openHub(readEnvironment(process.cwd()));
  await saying(() => work(session));
}
