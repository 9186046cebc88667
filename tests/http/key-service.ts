import { badInput } from "./suite/bad-input.ts";
import { callers } from "./suite/callers.ts";
import { type KeyFixture, openKeyFixture, type Run } from "./suite/fixture.ts";
import { fleet } from "./suite/fleet.ts";
import { leadingCode } from "./suite/leading-code.ts";
import { mainJob } from "./suite/main-job.ts";
import { sealedKeys } from "./suite/sealed-keys.ts";
import { secrecy } from "./suite/secrecy.ts";
import { trust } from "./suite/trust.ts";

/** Tests the parts in which runtimes could differ: HTTP, bodies, the crypto that opens keys, the log. */
function suiteOfRuntimes(fixture: KeyFixture): void {
  mainJob(fixture);
  badInput(fixture);
  sealedKeys(fixture);
}

/** Runs the same suite for each way to run the functions. Returns its fixture, for more tests of the same describe. */
export function keyServiceSuite(
  run: Run,
  { whole = true, many }: { whole?: boolean; many: boolean },
): KeyFixture {
  const fixture = openKeyFixture(run, many);
  suiteOfRuntimes(fixture);
  if (whole) {
    leadingCode(fixture);
    callers(fixture);
    fleet(fixture);
    trust(fixture);
  }
  // This is last, because it searches what the other tests have stored and logged.
  secrecy(fixture);
  return fixture;
}
