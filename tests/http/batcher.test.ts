import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createBatcher } from "../../supabase/functions/_shared/batcher.ts";

/** Makes a batcher whose batches return when the test says so. */
function fixture() {
  const batches: { calls: string[]; end: (error?: Error) => void }[] = [];
  const call = createBatcher<string, string>({
    maxSize: 50,
    maxWait: 20,
    send: (calls) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) => (error ? reject(error) : resolve(calls.map((name) => `to ${name}`)));
        batches.push({ calls, end });
      }),
  });
  const sent = () => batches.map(({ calls }) => calls);
  return { call, batches, sent };
}

test("the first call is sent at once; those that arrive meanwhile form one batch when it returns, each with its own answer", async () => {
  const { call, batches, sent } = fixture();
  const answers = ["a", "b", "c"].map((name) => call("group", name));
  expect(sent()).toEqual([["a"]]);
  batches[0]?.end();
  expect(await answers[0]).toBe("to a");
  expect(sent()).toEqual([["a"], ["b", "c"]]);
  const late = call("group", "d");
  batches[1]?.end();
  expect(await Promise.all(answers.slice(1))).toEqual(["to b", "to c"]);
  expect(sent()).toEqual([["a"], ["b", "c"], ["d"]]);
  batches[2]?.end();
  expect(await late).toBe("to d");
  // Nothing is in flight, so the next call is sent at once again.
  void call("group", "e");
  expect(sent()).toHaveLength(4);
});

test("a slow batch delays the next by no more than maxWait", async () => {
  const { call, batches, sent } = fixture();
  void call("group", "slow");
  const answers = [call("group", "b"), call("group", "c")];
  await sleep(200);
  expect(sent()).toEqual([["slow"], ["b", "c"]]);
  batches[1]?.end();
  expect(await Promise.all(answers)).toEqual(["to b", "to c"]);
  const next = call("group", "d");
  expect(sent()).toHaveLength(2);
  await sleep(200);
  batches[2]?.end();
  expect(await next).toBe("to d");
});

test("groups do not wait for each other", () => {
  const { call, sent } = fixture();
  void call("one", "a");
  void call("two", "b");
  expect(sent()).toEqual([["a"], ["b"]]);
});

test("very many calls go in several batches at the same time, in order", async () => {
  const { call, batches, sent } = fixture();
  const names = Array.from({ length: 121 }, (_, i) => String(i));
  const answers = names.map((name) => call("group", name));
  batches[0]?.end();
  await answers[0];
  expect(sent().map(({ length }) => length)).toEqual([1, 50, 50, 20]);
  expect(sent().flat()).toEqual(names);
  for (const { end } of batches) end();
  expect(await Promise.all(answers)).toEqual(names.map((name) => `to ${name}`));
});

test("a batch that fails rejects its own calls and no later ones", async () => {
  const { call, batches } = fixture();
  const answers = ["a", "b", "c"].map((name) => call("group", name));
  batches[0]?.end(new Error("lost"));
  await expect(answers[0]).rejects.toThrow("lost");
  const next = call("group", "d");
  batches[1]?.end(new Error("lost, too"));
  await expect(answers[1]).rejects.toThrow("lost, too");
  await expect(answers[2]).rejects.toThrow("lost, too");
  batches[2]?.end();
  expect(await next).toBe("to d");
});
