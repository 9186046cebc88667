import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateSealPair, type UnsealKey } from "@keyhub/core/seal";
import { errorCode, oneLine, StartFailure } from "../failure.ts";

/** The secrets of a stack. The first start makes them, and later starts keep them, so that tokens and sealed keys stay valid. */
export interface Secrets {
  jwtSecret: string;
  publishableKey: string;
  secretKey: string;
  /** The public key, which seals. */
  sealKey: string;
  /** The private keys, which open sealed texts; newest first. */
  unsealKeys: UnsealKey[];
  demoEmail: string;
  demoPassword: string;
  /** The seed fills in the user id and the agent token. */
  demoUserId: string;
  agentToken: string;
}

const fileName = "secrets.json";

export async function readOrMakeSecrets(dataDir: string): Promise<Secrets> {
  const file = join(dataDir, fileName);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw new StartFailure(`cannot read ${file}: ${oneLine(error)}`);
    const made = await makeSecrets();
    writeSecrets(dataDir, made);
    return made;
  }
  const secrets = parse(text);
  if (!secrets)
    throw new StartFailure(
      `${file} is damaged; put it back, or start from scratch with: npm start -- --fresh`,
    );
  return secrets;
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

/** Adds a new pair, which seals from now on; older pairs still open what they sealed. */
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

function parse(text: string): Secrets | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const secrets = value as Secrets;
  const needed = [secrets.jwtSecret, secrets.publishableKey, secrets.secretKey, secrets.sealKey];
  const filledInLater = [secrets.demoEmail, secrets.demoPassword, secrets.demoUserId, secrets.agentToken];
  const whole =
    needed.every((entry) => typeof entry === "string" && entry !== "") &&
    filledInLater.every((entry) => typeof entry === "string") &&
    Array.isArray(secrets.unsealKeys) &&
    secrets.unsealKeys.length > 0;
  return whole ? secrets : undefined;
}
