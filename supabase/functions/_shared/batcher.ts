export interface BatcherOptions<Call, Result> {
  /** Sends a batch and returns one result per call, in the order of the calls. If it throws, every call of the batch is rejected. */
  send: (calls: Call[]) => Promise<Result[]>;
  /** The largest number of calls in one batch. */
  maxSize: number;
  /** The longest time in milliseconds that a call waits for an earlier batch of its group to return. */
  maxWait: number;
}

interface Group<Call, Result> {
  inFlight: number;
  waiting: { call: Call; resolve: (result: Result) => void; reject: (error: unknown) => void }[];
  timer?: ReturnType<typeof setTimeout>;
}

/**
 * Returns a function that sends calls in batches. The first call of a group is sent at once. Calls that arrive while a batch of the group
 * is in flight wait, and are sent as one batch when the earlier batch returns or `maxWait` is over.
 */
export function createBatcher<Call, Result>({
  send,
  maxSize,
  maxWait,
}: BatcherOptions<Call, Result>): (group: string, call: Call) => Promise<Result> {
  const groups = new Map<string, Group<Call, Result>>();

  async function flush(name: string, group: Group<Call, Result>): Promise<void> {
    clearTimeout(group.timer);
    const batch = group.waiting.splice(0, maxSize);
    const sent = send(batch.map(({ call }) => call));
    group.inFlight += 1;
    if (group.waiting.length > 0) void flush(name, group);
    try {
      const results = await sent;
      for (const [i, { resolve }] of batch.entries()) resolve(results[i] as Result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    group.inFlight -= 1;
    if (group.waiting.length > 0) void flush(name, group);
    else if (group.inFlight === 0) groups.delete(name);
  }

  return (name, call) =>
    new Promise((resolve, reject) => {
      const group = groups.get(name) ?? { inFlight: 0, waiting: [] };
      groups.set(name, group);
      group.waiting.push({ call, resolve, reject });
      if (group.inFlight === 0) void flush(name, group);
      else if (group.waiting.length === 1) group.timer = setTimeout(flush, maxWait, name, group);
    });
}
