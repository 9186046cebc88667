import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { together } from "../../supabase/functions/_shared/together.ts";

/** Journeys that end when they are told to, and the calls of each. */
function station() {
  const journeys: { calls: string[]; end: (error?: Error) => void }[] = [];
  const call = together<string, string>(
    (calls) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) => (error ? reject(error) : resolve(calls.map((name) => `to ${name}`)));
        journeys.push({ calls, end });
      }),
  );
  const left = () => journeys.map(({ calls }) => calls);
  return { call, journeys, left };
}

test("a call alone departs at once; those that come meanwhile go together when it is back, each with its own answer", async () => {
  const { call, journeys, left } = station();
  const answers = ["a", "b", "c"].map((name) => call("group", name));
  expect(left()).toEqual([["a"]]);
  journeys[0]?.end();
  expect(await answers[0]).toBe("to a");
  expect(left()).toEqual([["a"], ["b", "c"]]);
  const late = call("group", "d");
  journeys[1]?.end();
  expect(await Promise.all(answers.slice(1))).toEqual(["to b", "to c"]);
  expect(left()).toEqual([["a"], ["b", "c"], ["d"]]);
  journeys[2]?.end();
  expect(await late).toBe("to d");
  // Nothing is under way: at once again.
  void call("group", "e");
  expect(left()).toHaveLength(4);
});

test("who is slow holds nobody up for longer than a moment", async () => {
  const { call, journeys, left } = station();
  void call("group", "slow");
  const answers = [call("group", "b"), call("group", "c")];
  await sleep(200);
  expect(left()).toEqual([["slow"], ["b", "c"]]);
  journeys[1]?.end();
  expect(await Promise.all(answers)).toEqual(["to b", "to c"]);
  const next = call("group", "d");
  expect(left()).toHaveLength(2);
  await sleep(200);
  journeys[2]?.end();
  expect(await next).toBe("to d");
});

test("groups do not wait for each other", () => {
  const { call, left } = station();
  void call("one", "a");
  void call("two", "b");
  expect(left()).toEqual([["a"], ["b"]]);
});

test("very many go in several journeys at the same time, in order", async () => {
  const { call, journeys, left } = station();
  const names = Array.from({ length: 121 }, (_, i) => String(i));
  const answers = names.map((name) => call("group", name));
  journeys[0]?.end();
  await answers[0];
  expect(left().map(({ length }) => length)).toEqual([1, 50, 50, 20]);
  expect(left().flat()).toEqual(names);
  for (const { end } of journeys) end();
  expect(await Promise.all(answers)).toEqual(names.map((name) => `to ${name}`));
});

test("a journey that fails, fails for all who went, and for nobody after them", async () => {
  const { call, journeys } = station();
  const answers = ["a", "b", "c"].map((name) => call("group", name));
  journeys[0]?.end(new Error("lost"));
  await expect(answers[0]).rejects.toThrow("lost");
  const next = call("group", "d");
  journeys[1]?.end(new Error("lost, too"));
  await expect(answers[1]).rejects.toThrow("lost, too");
  await expect(answers[2]).rejects.toThrow("lost, too");
  journeys[2]?.end();
  expect(await next).toBe("to d");
});
