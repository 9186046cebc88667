import { badInput } from "./suite/bad-input.ts";
import { callers } from "./suite/callers.ts";
import { type KeyFixture, openKeyFixture, type Run } from "./suite/fixture.ts";
import { fleet } from "./suite/fleet.ts";
import { leadingCode } from "./suite/leading-code.ts";
import { mainJob } from "./suite/main-job.ts";
import { sealedKeys } from "./suite/sealed-keys.ts";
import { secrecy } from "./suite/secrecy.ts";
import { trust } from "./suite/trust.ts";

/** The same suite for each way to run the functions. Returns what it ran with, for more tests of the same describe. */
export function keyServiceSuite(run: Run): KeyFixture {
  const fixture = openKeyFixture(run);
  mainJob(fixture);
  leadingCode(fixture);
  badInput(fixture);
  callers(fixture);
  fleet(fixture);
  sealedKeys(fixture);
  trust(fixture);
  secrecy(fixture);
  return fixture;
}
