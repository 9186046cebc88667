import { sealedKid, sealKey } from "@keyhub/core/seal";
import { CommandFailure } from "./failure.ts";

/** Not the id of any user; used when a text is sealed only to test the seal key. */
export const NOBODY = "00000000-0000-0000-0000-000000000000";

/** A seal key that has been tested. */
export interface Sealer {
  kid: string;
  seal(user: string, key: string): Promise<string>;
}

/** Tests a seal key by sealing once. Throws a CommandFailure when it is not a seal key. */
export async function readSealer(sealKeyText: string): Promise<Sealer> {
  const seal = (user: string, key: string) => sealKey(sealKeyText, user, key);
  const probe = await seal(NOBODY, "probe").catch(() => "");
  const kid = sealedKid(probe);
  if (kid !== null) return { kid, seal };
  throw new CommandFailure(
    "KEYHUB_SEAL_KEY is not a seal key (<kid>.<public key>); make one with: npm run keygen",
  );
}
