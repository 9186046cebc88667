import { sealedKid, sealKey } from "@keyhub/core/seal";
import { CommandFailure } from "./command.ts";

/** Nobody's: for a text that is sealed only to see whether that can be done. */
export const NOBODY = "00000000-0000-0000-0000-000000000000";

/** The text of KEYHUB_SEAL_KEY, tried once. */
export interface Sealer {
  kid: string;
  seal(user: string, key: string): Promise<string>;
}

/** Tries the seal key before there is anything to seal; throws a CommandFailure when it is none. */
export async function readSealer(sealKeyText: string): Promise<Sealer> {
  const seal = (user: string, key: string) => sealKey(sealKeyText, user, key);
  const probe = await seal(NOBODY, "probe").catch(() => "");
  const kid = sealedKid(probe);
  if (kid !== null) return { kid, seal };
  throw new CommandFailure(
    "KEYHUB_SEAL_KEY is not a seal key (<kid>.<public key>); make one with: npm run keygen",
  );
}
