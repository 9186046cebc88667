import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateSealPair } from "@keyhub/core/seal";
import * as z from "zod/mini";
import { errorCode, oneLine, StartFailure } from "../failure.ts";

const text = z.string().check(z.minLength(1));

const secretsFile = z.object({
  jwtSecret: text,
  publishableKey: text,
  secretKey: text,
  /** The public key, which seals. */
  sealKey: text,
  /** The private keys, which open sealed texts; newest first. */
  unsealKeys: z.array(z.object({ kid: text, key: text })).check(z.minLength(1)),
  demoEmail: z.string(),
  demoPassword: z.string(),
  /** The seed fills in the user id and the agent token. */
  demoUserId: z.string(),
  agentToken: z.string(),
});

/** The secrets of a stack. The first start makes them, and later starts keep them, so that tokens and sealed keys stay valid. */
export type Secrets = z.infer<typeof secretsFile>;

const fileName = "secrets.json";

export async function readOrMakeSecrets(dataDir: string): Promise<Secrets> {
  const file = join(dataDir, fileName);
  try {
    return secretsFile.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.core.$ZodError)
      throw new StartFailure(
        `${file} is damaged; put it back, or start from scratch with: npm start -- --fresh`,
      );
    if (errorCode(error) !== "ENOENT") throw new StartFailure(`cannot read ${file}: ${oneLine(error)}`);
    const made = await makeSecrets();
    writeSecrets(dataDir, made);
    return made;
  }
}

/** Writes the file atomically; only this user may read it. */
export function writeSecrets(dataDir: string, secrets: Secrets): void {
  const file = join(dataDir, fileName);
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    throw new StartFailure(`cannot write ${file}: ${oneLine(error)}`);
  }
}

/** Adds a new seal pair, which seals from now on. Older pairs still open what they sealed. */
export async function addSealPair(dataDir: string, secrets: Secrets): Promise<Secrets> {
  const { sealKey, unsealKey } = await generateSealPair();
  const added = { ...secrets, sealKey, unsealKeys: [unsealKey, ...secrets.unsealKeys] };
  writeSecrets(dataDir, added);
  return added;
}

async function makeSecrets(): Promise<Secrets> {
  const pair = await generateSealPair();
  return {
    jwtSecret: randomBytes(32).toString("hex"),
    publishableKey: `sb_publishable_${randomBytes(17).toString("base64url").slice(0, 22)}`,
    secretKey: `sb_secret_${randomBytes(17).toString("base64url").slice(0, 22)}`,
    sealKey: pair.sealKey,
    unsealKeys: [pair.unsealKey],
    demoEmail: "demo@keyhub.local",
    demoPassword: randomBytes(18).toString("base64url"),
    demoUserId: "",
    agentToken: "",
  };
}
