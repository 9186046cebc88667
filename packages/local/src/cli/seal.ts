import { parseKeyLines, readPipe, readSealer, readTerminal } from "@keyhub/cli/source";
import { CommandFailure, readOptions, runCommand } from "./command.ts";
import { readToolEnvironment } from "./tool-environment.ts";

const usage =
  "npm run seal -- --user <uuid> [--names], with the keys on standard input, one a line (with --names: name=key)";
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * `npm run seal`: seals the keys on standard input for one user, and prints the texts for user_api_keys.api_key_encrypted, one a line, in
 * order. If one key fails, it prints none. With --names the lines are name=key, and each text follows its name and a tab. Standard error
 * names the pair to which the keys are sealed.
 */
async function seal(): Promise<void> {
  const { user, names = false } = readOptions(
    { user: { type: "string" }, names: { type: "boolean" } },
    usage,
  );
  if (user === undefined) throw new CommandFailure(`--user is missing; usage: ${usage}`);
  if (!UUID.test(user.trim()))
    throw new CommandFailure("--user is not a uuid; it is the user_id of the keys' owner");
  // Check the seal key first, so that nobody types keys in vain.
  const environment = readToolEnvironment();
  const sealer = await readSealer(environment.need("KEYHUB_SEAL_KEY"));
  const { stdin, stderr } = process;
  const what = names ? "lines name=key" : "keys, one a line";
  const input = stdin.isTTY
    ? await readTerminal(stdin, what, (text) => stderr.write(text))
    : await readPipe(stdin);
  const lines = await Promise.all(
    parseKeyLines(input, names).map(async ({ name, key }) => {
      const sealed = await sealer.seal(user.trim(), key);
      return name === null ? sealed : `${name}\t${sealed}`;
    }),
  );
  process.stdout.write(`${lines.join("\n")}\n`);
  // Name the pair, because only functions with its private key can open the texts.
  stderr.write(
    `sealed to the pair ${sealer.kid} (KEYHUB_SEAL_KEY of ${environment.source("KEYHUB_SEAL_KEY")})\n`,
  );
}

await runCommand(seal);
