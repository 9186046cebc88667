import { describe, expect, test } from "vitest";
import type { KeyhubOptions } from "../../packages/client/src/index.ts";
import { LONG_TESTS } from "../support/long-tests.ts";
import { type Bench, openBench } from "./fixture.ts";
import { saysOf } from "./sdk-answers.ts";
import { ANSWER, sdkSuite } from "./sdk-suite.ts";
import { SDKS } from "./sdks.ts";

const desk = openBench();

const byFetch = ({ keyhub }: Bench, provider: string) => ({
  apiKey: "keyhub",
  base: desk.provider.origin,
  fetch: keyhub.fetch(provider, { hosts: [desk.provider.origin] }),
});

sdkSuite(desk, byFetch);

// A hang and the second sending of a body do not depend on the SDK: all four pass a body as one string.
describe.each(LONG_TESTS ? SDKS : SDKS.slice(0, 1))("$name, by keyhub.fetch alone", (sdk) => {
  const open = async (keys: number, options: KeyhubOptions = {}) => {
    const bench = await desk.bench({ provider: sdk.provider, keys }, options);
    return { ...bench, ...sdk.open(byFetch(bench, sdk.provider)) };
  };

  test("a hang before the first byte ends at our limit, reported as timeout", async () => {
    const { ask, log } = await open(2, { firstByteTimeout: 200 });
    desk.provider.acts.push({ act: "hang" });
    if (sdk.retries) expect(await ask()).toBe(ANSWER);
    else await desk.thrown(ask());
    const [first] = await log();
    expect(first).toMatchObject({
      outcome: "unreachable",
      error_code: expect.stringMatching(/^timeout/i),
      effect: "ignored",
    });
  });

  test("a body of 20 MB goes out whole, twice", async () => {
    const { ask, keys } = await open(2);
    desk.provider.acts.push({ act: "error", ...saysOf(sdk.provider).limit });
    expect(await ask("x".repeat(20 * 1024 * 1024))).toBe(ANSWER);
    const [first, second] = desk.provider.seen;
    expect([first?.key, second?.key]).toEqual(keys);
    expect(first?.bytes).toBeGreaterThan(20 * 1024 * 1024);
    expect(second?.sha256).toBe(first?.sha256);
  });
});
