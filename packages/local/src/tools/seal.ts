import { sealKey } from "@keyhub/core/seal";
import { CommandFailure, readOptions, runCommand } from "./command.ts";
import { readToolEnvironment } from "./environment.ts";
import { parseKeyLines, readPipe } from "./key-lines.ts";
import { readTerminal } from "./key-prompt.ts";

const usage = "npm run seal -- --user <uuid>, with the keys on standard input, one a line";
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * `npm run seal`: seals the keys on standard input for one user and prints the texts to paste into
 * user_api_keys.api_key_encrypted, one a line, in order; all of them or none.
 */
async function seal(): Promise<void> {
  const { user } = readOptions({ user: { type: "string" } }, usage);
  if (user === undefined) throw new CommandFailure(`--user is missing; usage: ${usage}`);
  if (!UUID.test(user.trim()))
    throw new CommandFailure("--user is not a uuid; it is the user_id of the keys' owner");
  const sealer = await readSealer(user.trim());
  const { stdin, stderr } = process;
  const input = stdin.isTTY ? await readTerminal(stdin, (text) => stderr.write(text)) : await readPipe(stdin);
  const sealed = await Promise.all(parseKeyLines(input).map(sealer));
  process.stdout.write(`${sealed.join("\n")}\n`);
}

/** Tries the seal key before anybody types: a bad one is refused at once. */
async function readSealer(user: string): Promise<(key: string) => Promise<string>> {
  const sealKeyText = readToolEnvironment().need("KEYHUB_SEAL_KEY");
  try {
    await sealKey(sealKeyText, user, "");
  } catch {
    throw new CommandFailure(
      "KEYHUB_SEAL_KEY is not a seal key (<kid>.<public key>); make one with: npm run keygen",
    );
  }
  return (key) => sealKey(sealKeyText, user, key);
}

await runCommand(seal);
