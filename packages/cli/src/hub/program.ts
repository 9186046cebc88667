import { ASSET_TYPES, LICENSES } from "@keyhub/core/hub";
import { type Command, InvalidArgumentError, Option } from "commander";
import { readEnvironment } from "../environment.ts";
import type { ImportFlags, PublishFlags, SearchOptions } from "./commands.ts";
import type { HubSession } from "./session.ts";

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
      within((session, { search }) => search(session, words.join(" "), options)),
    );
  command("show <slug>", "What a listing is, its license, and what it needs.").action(
    (slug: string, options) => within((session, { show }) => show(session, slug, options)),
  );
  command("get <slug>", "Write the asset as a file of the tool that it was made with.")
    .option("--as <form>", "keyhub, or one of the forms that show lists")
    .option("-o, --output <file>", "another name; - is standard output")
    .option("--version <number>", "another version than the current one", whole())
    .action((slug: string, options) => within((session, { get }) => get(session, slug, options)));
  command("import <what>", "Copy a listing, or a file of any known tool, into your workspace.")
    .option("--remix", "as a remix of the listing")
    .option("--version <number>", "another version than the current one", whole())
    .option("--dry-run", "say what would be made, and write nothing")
    .action((what: string, options: ImportFlags) =>
      within((session, { importInto }) => importInto(session, what, options)),
    );
  command("publish <file>", "Import a file and publish it.")
    .option("--title <text>", "by default the file's own")
    .option("--description <text>", "by default the file's own")
    .option("--tags <list>", "separated by commas; by default the file's own")
    .addOption(new Option("--license <license>", "platform-free unless given").choices(LICENSES))
    .option("--price <cents>", "with --license paid: 100 to 100000 cents of the hub's currency", whole())
    .option("--teaser <text>", "with --license paid: what everybody reads instead of the content")
    .option("--accept-findings", "publish even if the scan of a component has findings")
    .option("--dry-run", "show what would be public and what would be removed, and write nothing")
    .action((file: string, options: PublishFlags) =>
      within((session, { publish }) => publish(session, file, options)),
    );
  command("diff <slug>", "What changed between two versions.")
    .requiredOption("--from <number>", "the earlier version", whole())
    .option("--to <number>", "the later version; by default the current one", whole())
    .action((slug: string, options) => within((session, { diff }) => diff(session, slug, options)));
  hub
    .command("login <email>")
    .description("Log in; the password comes from standard input, and a terminal does not show it.")
    .action((email: string) => within((session, { login }) => login(session, email)));
  hub
    .command("logout")
    .description("Forget the session.")
    .action(() => within((session, { logout }) => logout(session)));
  root
    .command("mcp")
    .description(
      "Serve the hub to an agent: MCP over standard input and output, with the rights of the logged-in user.",
    )
    .action(() => within(async (session) => (await import("./mcp.ts")).serveMcp(session)));
}

type Commands = typeof import("./commands.ts");

/** Loads what the commands of the hub need, which is slow to load, and runs one of them. */
async function within(work: (session: HubSession, commands: Commands) => Promise<void>): Promise<void> {
  const [{ openHub }, commands] = await Promise.all([import("./session.ts"), import("./commands.ts")]);
  const session = await openHub(readEnvironment(process.cwd()));
  await commands.saying(() => work(session, commands));
}
