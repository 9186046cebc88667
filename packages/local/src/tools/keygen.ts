import { generateSealPair, readUnsealKeys, type UnsealKey } from "@keyhub/core/seal";
import { CommandFailure, readOptions, runCommand } from "./command.ts";
import { readToolEnvironment } from "./environment.ts";

const usage = "npm run keygen [-- --add]";

/**
 * `npm run keygen`: prints a fresh pair as lines of an env file. Private keys that are in use are kept behind the
 * new one, so that the functions open old and new texts while rows are moved: those of the environment always,
 * those of the env file with `--add` (a pair for another deployment has nothing to do with the local stack's).
 */
async function keygen(): Promise<void> {
  const { add } = readOptions({ add: { type: "boolean" } }, usage);
  const kept = readKept(
    add ? readToolEnvironment().need("KEYHUB_UNSEAL_KEYS") : process.env.KEYHUB_UNSEAL_KEYS,
  );
  const { sealKey, unsealKey } = await generateSealPair();
  const lines = [
    "# Public: wherever keys are sealed (npm run seal, npm run reseal).",
    `KEYHUB_SEAL_KEY=${sealKey}`,
    "# Private: a function secret (supabase secrets set --env-file <this file>). Never in a database.",
    `KEYHUB_UNSEAL_KEYS=${JSON.stringify([unsealKey, ...kept])}`,
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}

function readKept(text = ""): UnsealKey[] {
  if (text.trim() === "") return [];
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
