import { badInput } from "./suite/bad-input.ts";
import { callers } from "./suite/callers.ts";
import { openDesk, type Run } from "./suite/client.ts";
import { fleet } from "./suite/fleet.ts";
import { leadingCode } from "./suite/leading-code.ts";
import { mainJob } from "./suite/main-job.ts";
import { sealedKeys } from "./suite/sealed-keys.ts";
import { secrecy } from "./suite/secrecy.ts";
import { trust } from "./suite/trust.ts";

/** The same suite for each way to run the functions. */
export function keyServiceSuite(run: Run): void {
  const desk = openDesk(run);
  mainJob(desk);
  leadingCode(desk);
  badInput(desk);
  callers(desk);
  fleet(desk);
  sealedKeys(desk);
  trust(desk);
  secrecy(desk);
}
