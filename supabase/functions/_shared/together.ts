/** For how long a call waits at most for the one under way, in milliseconds; and how many go together at most. */
const PATIENCE_MS = 20;
const MOST = 50;

interface Group<Call, Answer> {
  underWay: number;
  waiting: { call: Call; resolve: (answer: Answer) => void; reject: (error: unknown) => void }[];
  timer?: ReturnType<typeof setTimeout>;
}

/**
 * Lets calls of one group that come while another is under way go together as soon as it is back, or after a moment when
 * it is slow. `send` makes one journey for the calls it is given and answers each, in their order; what it throws, each
 * of them is told.
 */
export function together<Call, Answer>(
  send: (calls: Call[]) => Promise<Answer[]>,
): (group: string, call: Call) => Promise<Answer> {
  const groups = new Map<string, Group<Call, Answer>>();

  async function depart(name: string, group: Group<Call, Answer>): Promise<void> {
    clearTimeout(group.timer);
    const leaving = group.waiting.splice(0, MOST);
    const journey = send(leaving.map(({ call }) => call));
    group.underWay += 1;
    if (group.waiting.length > 0) void depart(name, group);
    try {
      const answers = await journey;
      for (const [i, { resolve }] of leaving.entries()) resolve(answers[i] as Answer);
    } catch (error) {
      for (const { reject } of leaving) reject(error);
    }
    group.underWay -= 1;
    if (group.waiting.length > 0) void depart(name, group);
    else if (group.underWay === 0) groups.delete(name);
  }

  return (name, call) =>
    new Promise((resolve, reject) => {
      const group = groups.get(name) ?? { underWay: 0, waiting: [] };
      groups.set(name, group);
      group.waiting.push({ call, resolve, reject });
      if (group.underWay === 0) void depart(name, group);
      else if (group.waiting.length === 1) group.timer = setTimeout(depart, PATIENCE_MS, name, group);
    });
}
