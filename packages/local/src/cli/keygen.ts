import { generateSealPair, readUnsealKeys, type UnsealKey } from "@keyhub/core/seal";
import { CommandFailure, readOptions, runCommand } from "./command.ts";
import { readToolEnvironment } from "./tool-environment.ts";

const usage =
  "npm run keygen [-- --add], where --add keeps the private keys of KEYHUB_UNSEAL_KEYS after the new one";

/**
 * `npm run keygen`: prints a new seal pair as lines of an env file. With `--add`, the current private keys (from the file that
 * KEYHUB_ENV_FILE names, else from the environment or `.env.local`) follow the new one, so that the functions can open old and new texts
 * during a reseal. Without `--add` the current keys are left out: a shell that has loaded the local env file would otherwise put the
 * private key of the local stack into the settings of another deployment.
 */
async function keygen(): Promise<void> {
  const { add } = readOptions({ add: { type: "boolean" } }, usage);
  const kept = add ? readKept(readToolEnvironment().need("KEYHUB_UNSEAL_KEYS")) : [];
  const { sealKey, unsealKey } = await generateSealPair();
  const lines = [
    "# Public: needed by every tool that seals keys (npm run seal, npm run reseal).",
    `KEYHUB_SEAL_KEY=${sealKey}`,
    "# Private: a function secret (supabase secrets set --env-file <this file>), which cannot be read back: keep a copy in a vault.",
    `KEYHUB_UNSEAL_KEYS=${JSON.stringify([unsealKey, ...kept])}`,
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}

function readKept(text: string): UnsealKey[] {
  try {
    // Copy only these two members and leave out any others.
    return readUnsealKeys(text).map(({ kid, key }) => ({ kid, key }));
  } catch {
    throw new CommandFailure(
      'the current KEYHUB_UNSEAL_KEYS is not a JSON list of {"kid", "key"}; nothing was made',
    );
  }
}

await runCommand(keygen);
