import { expect, test } from "vitest";
import { Gatherer, watchBody } from "../../packages/core/src/rotate/index.ts";
import { VirtualTime } from "../support/virtual-time.ts";

type Bytes = Uint8Array<ArrayBuffer>;
const bytes = (text: string): Bytes => new TextEncoder().encode(text);

/** Opens a body that a test writes to: a stream of bytes, like the bodies of fetch, or a plain stream. */
function open(type?: "bytes") {
  let controller: ReadableByteStreamController | ReadableStreamDefaultController<Bytes>;
  let cancelled: unknown = null;
  const source = {
    start: (given: typeof controller) => {
      controller = given;
    },
    cancel: (reason: unknown) => {
      cancelled = reason;
    },
  };
  const body = new ReadableStream({ ...source, ...(type && { type }) } as never) as ReadableStream<Bytes>;
  const time = new VirtualTime();
  const ports = { wait: time.wait, now: () => time.now };
  return {
    body,
    ports,
    time,
    write: (text: string) => controller.enqueue(bytes(text)),
    // A pending read into a buffer ends only when it is answered, here with 0 bytes.
    end: () => {
      controller.close();
      if ("byobRequest" in controller) controller.byobRequest?.respond(0);
    },
    breaks: () => controller.error(new Error("cut")),
    /** Returns the number of bytes that nobody has read. */
    waiting: () => -(controller.desiredSize ?? 0),
    cancelled: () => cancelled,
  };
}

function gathered(type?: "bytes") {
  const opened = open(type);
  return { ...opened, gatherer: new Gatherer(opened.body, opened.ports) };
}

/** Waits until all work that waits for no timer is done. */
const settled = () => new Promise((resolve) => setTimeout(resolve));
const said = ({ value }: { value?: Bytes | undefined }) => new TextDecoder().decode(value);

test.each(["bytes", undefined] as const)(
  "a piece after a pause goes on at once; fast ones go together (%s)",
  async (type) => {
    const { gatherer, write, end, time } = gathered(type);
    const first = gatherer.read();
    write("one");
    expect(said(await first)).toBe("one");
    let next: string | null = null;
    const second = gatherer.read().then((read) => {
      next = said(read);
    });
    for (const word of ["two", "three", "four"]) {
      write(word);
      await settled();
    }
    // The second read waits for some time, which has not passed yet.
    expect(next).toBe(null);
    await time.run();
    await second;
    expect([next, time.now]).toEqual(["twothreefour", 8]);
    time.now = 20;
    const third = gatherer.read();
    write("five");
    expect([said(await third), time.now]).toEqual(["five", 20]);
    // The end of a body comes without waiting, with or without remaining text.
    write("six");
    end();
    expect(said(await gatherer.read())).toBe("six");
    expect((await gatherer.read()).done).toBe(true);
  },
);

test("a full buffer waits for nothing, and holds the sender back until it is read", async () => {
  const { gatherer, write, waiting, time } = gathered("bytes");
  const first = gatherer.read();
  write("start");
  await first;
  const large = "x".repeat(32_768);
  const next = gatherer.read();
  write(large);
  write(large);
  expect(said(await next).length).toBe(65_536);
  expect(time.now).toBe(0);
  for (let i = 0; i < 4; i += 1) write(large);
  await settled();
  expect(waiting()).toBe(2 * large.length);
  let rest = 0;
  while (rest < 4 * large.length) {
    const read = gatherer.read();
    await time.run();
    rest += said(await read).length;
  }
});

test("what came before a break is handed on, then the break; who gives up ends the sender", async () => {
  const broken = gathered("bytes");
  const read = broken.gatherer.read();
  broken.write("half");
  await settled();
  broken.breaks();
  expect(said(await read)).toBe("half");
  await expect(broken.gatherer.read()).rejects.toThrow("cut");

  const left = gathered("bytes");
  const waiting = left.gatherer.read();
  await left.gatherer.cancel("enough");
  expect([(await waiting).done, left.cancelled()]).toEqual([true, "enough"]);
});

test("an error event is reported although it was gathered with others", async () => {
  const { body, ports, write, end, time } = open("bytes");
  const reported: unknown[] = [];
  const original = new Response(body, { headers: { "content-type": "text/event-stream" } });
  const report = (one: unknown) => reported.push(one);
  const passed = watchBody(original, { report, cancelled: never, broken: never, gather: ports });
  const text = new Response(passed).text();
  const error = 'data: {"error":{"code":"overloaded"}}\n\n';
  for (const event of ['data: {"a":1}\n\n', 'data: {"a":2}\n\n', error]) write(event);
  end();
  await time.run();
  expect(await text).toContain("overloaded");
  expect(reported[0]).toMatchObject({ status: "fail", error_code: "overloaded" });
});

function never(): never {
  throw new Error("never");
}
