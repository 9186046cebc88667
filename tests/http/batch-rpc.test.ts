import { afterEach, beforeEach, expect, type MockInstance, test, vi } from "vitest";
import { type Batch, connectDatabase } from "../../supabase/functions/_shared/database.ts";

/* Tests callRpc when a batch fails; the network is a fake. */

interface Sent {
  name: string;
  args: { calls?: number; place?: number };
}

/** Makes a fake database with given answers, and records the calls that it got. */
function play(answer: (sent: Sent) => { status: number; body: unknown }) {
  const sent: Sent[] = [];
  const database = connectDatabase(
    (name) => ({ SUPABASE_URL: "http://played.test", SUPABASE_SERVICE_ROLE_KEY: "key" })[name],
    async (input, init) => {
      const asked = { name: String(input).split("/").at(-1) ?? "", args: JSON.parse(String(init?.body)) };
      sent.push(asked);
      await new Promise((resolve) => setTimeout(resolve, 2));
      const { status, body } = answer(asked);
      return Response.json(body, { status });
    },
  );
  const batch: Batch = { name: "many", group: "group", args: ({ length }) => ({ calls: length }) };
  const callAll = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, place) => database.callRpc("one", { place }, batch)));
  const call = () => database.callRpc("one", {});
  return { sent, call, callAll };
}

let logged: MockInstance;
beforeEach(() => {
  logged = vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => logged.mockRestore());

const ofOne = ({ args }: Sent) => ({ status: 200, body: { place: args.place } });
const own = (count: number) => Array.from({ length: count }, (_, place) => ({ data: { place } }));

test("each gets its own answer of the array", async () => {
  const { sent, callAll } = play((asked) =>
    asked.name === "one" ? ofOne(asked) : { status: 200, body: [{ place: 1 }, { place: 2 }, { place: 3 }] },
  );
  expect(await callAll(4)).toEqual(own(4));
  expect(sent.map(({ name }) => name)).toEqual(["one", "many"]);
  expect(sent[1]?.args).toEqual({ calls: 3 });
});

test("an answer that is no array is for all calls; a call that gets `retry` is repeated alone", async () => {
  const { callAll } = play((asked) =>
    asked.name === "one" ? ofOne(asked) : { status: 200, body: { kind: "none" } },
  );
  expect((await callAll(3)).slice(1)).toEqual([{ data: { kind: "none" } }, { data: { kind: "none" } }]);
  const again = play((asked) =>
    asked.name === "one" ? ofOne(asked) : { status: 200, body: [{ kind: "retry" }, { place: 2 }] },
  );
  expect(await again.callAll(3)).toEqual(own(3));
  expect(again.sent.map(({ name }) => name)).toEqual(["one", "many", "one"]);
});

test("an answer that is missing in the array is asked for alone", async () => {
  const { sent, callAll } = play((asked) =>
    asked.name === "one" ? ofOne(asked) : { status: 200, body: [{ place: 1 }] },
  );
  expect(await callAll(4)).toEqual(own(4));
  expect(sent.map(({ name }) => name)).toEqual(["one", "many", "one", "one"]);
});

test.each([
  ["refused", "PT404"],
  ["undone", "55P03"],
])("when it is %s, each is made alone, without a word", async (_, code) => {
  const { callAll } = play((asked) =>
    asked.name === "one" ? ofOne(asked) : { status: 400, body: { code, message: "lease_not_found" } },
  );
  expect(await callAll(5)).toEqual(own(5));
  expect(logged).not.toHaveBeenCalled();
});

test("when the batch RPC is missing, each call is made alone, and that is logged once", async () => {
  const { callAll } = play((asked) =>
    asked.name === "one" ? ofOne(asked) : { status: 404, body: { code: "PGRST202", message: "secret" } },
  );
  for (let i = 0; i < 3; i += 1) expect(await callAll(5)).toEqual(own(5));
  expect(logged.mock.calls).toEqual([["rpc many: status 404, code PGRST202; calling one by one"]]);
});

test("when the database is down, all calls get that answer, without one more call for each", async () => {
  const { sent, callAll } = play((asked) =>
    asked.name === "one" ? ofOne(asked) : { status: 503, body: { code: "PGRST001", message: "away" } },
  );
  const [first, ...others] = await callAll(5);
  expect(first).toEqual({ data: { place: 0 } });
  for (const answer of others)
    expect(answer).toMatchObject({ problem: { status: 503, code: "unavailable" } });
  expect(sent.map(({ name }) => name)).toEqual(["one", "many"]);
});

test.each([
  [{ status: 409, body: { code: "55P03", message: "lock_conflict" } }, "status 409, code 55P03"],
  [{ status: 200, body: { kind: "retry" } }, "status 200, code none"],
])("what is to be retried is, until the deadline of five seconds", async (answer, fault) => {
  const start = Date.now();
  const { sent, call } = play(() => answer);
  const clock = vi.spyOn(Date, "now").mockImplementation(() => start + sent.length * 1_500);
  const settled = await call().finally(() => clock.mockRestore());
  expect(settled).toMatchObject({
    problem: { status: 503, code: "unavailable" },
    log: `rpc one: ${fault}; retries exhausted`,
  });
  expect(sent).toHaveLength(4);
});
