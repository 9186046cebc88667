import { generateSealPair, readUnsealKeys, type UnsealKey } from "@keyhub/core/seal";
import { CommandFailure, readOptions, runCommand } from "./command.ts";
import { readToolEnvironment } from "./tool-environment.ts";

const usage =
  "npm run keygen [-- --add], where --add keeps the private keys of KEYHUB_UNSEAL_KEYS behind the new one";

/**
 * `npm run keygen`: prints a fresh pair as lines of an env file. With `--add` the private keys that are in use (of the
 * env file that is named, else of the environment) stay behind the new one, so that the functions open old and new texts while rows
 * are moved. Never unasked: in a shell that has read the env file, another deployment would get the local stack's key.
 */
async function keygen(): Promise<void> {
  const { add } = readOptions({ add: { type: "boolean" } }, usage);
  const kept = add ? readKept(readToolEnvironment().need("KEYHUB_UNSEAL_KEYS")) : [];
  const { sealKey, unsealKey } = await generateSealPair();
  const lines = [
    "# Public: wherever keys are sealed (npm run seal, npm run reseal).",
    `KEYHUB_SEAL_KEY=${sealKey}`,
    "# Private: a function secret (supabase secrets set --env-file <this file>). Never in a database.",
    `KEYHUB_UNSEAL_KEYS=${JSON.stringify([unsealKey, ...kept])}`,
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}

function readKept(text: string): UnsealKey[] {
  try {
    // Nothing but these two members: what else stands there would be copied along.
    return readUnsealKeys(text).map(({ kid, key }) => ({ kid, key }));
  } catch {
    throw new CommandFailure(
      'the present KEYHUB_UNSEAL_KEYS is not a JSON list of {"kid", "key"}; nothing was made',
    );
  }
}

await runCommand(keygen);
