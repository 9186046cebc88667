import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startStack } from "../../packages/local/src/index.ts";
import { launchUnsharedBrowser } from "../support/browser.ts";

const CARDS = 1_000;
const MOST_WHEELS = 2_000;
/**
 * Browsers call a task of more than 50 ms "long", because a user who touches the page notices the wait. The bench measures processor time.
 */
const LONG = 50;

/**
 * Counts the long tasks of a page while a list of 1,000 cards is scrolled from the top to the bottom by the wheel. The cards of the demo's
 * list are repeated, because the server sends fewer than 1,000.
 */
export async function benchScroll(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "keyhub-bench-scroll-"));
  // Started as root, Postgres runs as another user, who must be able to enter the folder.
  await chmod(folder, 0o755);
  const stack = await startStack({ dataDir: join(folder, "data") });
  try {
    for (const [device, width, height] of [
      ["desktop", 1280, 860],
      ["phone", 390, 844],
    ] as const) {
      // Use a new browser for each page: a browser does not free the memory of a page and its trace, so the system would kill it in the
      // end.
      const browser = await launchUnsharedBrowser();
      try {
        const page = await browser.newPage({ baseURL: stack.url, viewport: { width, height } });
        await page.goto("/hub?sort=newest", { waitUntil: "networkidle" });
        await page.evaluate((most) => {
          const list = document.querySelector(".cards");
          const cards = [...(list?.children ?? [])];
          for (let i = cards.length; i < most; i++)
            list?.append(cards[i % cards.length]?.cloneNode(true) ?? "");
        }, CARDS);
        await page.waitForTimeout(1_000);
        await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline"] });
        await page.mouse.move(200, 400);
        const atEnd = () =>
          page.evaluate(() => scrollY + innerHeight >= document.documentElement.scrollHeight - 2);
        let wheels = 0;
        while (wheels < MOST_WHEELS && !(await atEnd())) {
          await page.mouse.wheel(0, 400);
          await page.waitForTimeout(16);
          wheels += 1;
        }
        const tasks = mainThreadTasks(await browser.stopTracing());
        const long = tasks.filter(({ took }) => took > LONG);
        const cards = await page.locator(".card").count();
        console.log(
          `${device}, ${cards} cards: ${long.length} tasks of more than ${LONG} ms ` +
            `of ${tasks.length}, the longest ${Math.max(0, ...tasks.map(({ took }) => took)).toFixed(1)} ms; ${wheels} turns of the wheel`,
        );
        for (const [work, [count, sum]] of workOf(long))
          console.log(`  in the long tasks: ${work} ${count} times, ${sum.toFixed(0)} ms`);
      } finally {
        await browser.close();
      }
    }
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The outermost event of a task; other events are inside it. */
const TASK = "ThreadControllerImpl::RunTask";
/** The names of events in a trace that are parts of drawing a page. */
const WORK = new Set([
  ...["UpdateLayoutTree", "Layout", "PrePaint", "Paint", "Layerize", "Commit", "HitTest", "ParseHTML"],
  ...[
    "FunctionCall",
    "EvaluateScript",
    "MinorGC",
    "MajorGC",
    "Decode Image",
    "IntersectionObserverController::computeIntersections",
  ],
]);

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
  args?: { name?: string };
  /** The microseconds that the thread ran, without the time in which it waited for other processes. */
  tdur?: number;
}

interface Task {
  /** The processor time in milliseconds. */
  took: number;
  work: { name: string; took: number }[];
}

/** Returns each task of the pages' main threads. */
function mainThreadTasks(trace: Buffer): Task[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const thread = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const main = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(thread),
  );
  const own = traceEvents.filter((event) => main.has(thread(event)) && event.tdur !== undefined);
  const work = own.filter(({ name }) => WORK.has(name));
  return own
    .filter(({ name }) => name === TASK)
    .map((task) => {
      const took = (task.tdur ?? 0) / 1_000;
      const isInside = (event: TraceEvent) =>
        thread(event) === thread(task) && event.ts >= task.ts && event.ts < task.ts + (task.dur ?? 0);
      // The parts of short tasks are not needed.
      const inside = took > LONG ? work.filter(isInside) : [];
      return { took, work: inside.map(({ name, tdur = 0 }) => ({ name, took: tdur / 1_000 })) };
    });
}

/** Returns for each kind of work how often tasks contain it and how long it took, the longest first. */
function workOf(tasks: Task[]): [string, [number, number]][] {
  const sums = new Map<string, [number, number]>();
  for (const { name, took } of tasks.flatMap(({ work }) => work)) {
    const [count, sum] = sums.get(name) ?? [0, 0];
    sums.set(name, [count + 1, sum + took]);
  }
  return [...sums].sort(([, [, a]], [, [, b]]) => b - a);
}
