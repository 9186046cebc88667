import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startStack } from "../../packages/local/src/index.ts";
import { launchUnsharedBrowser } from "../support/browser.ts";

const CARDS = 1_000;
const MOST_WHEELS = 2_000;
/** What browsers call a long task: somebody who touches the page then has to wait. Milliseconds, here of the processor's time. */
const LONG = 50;

/**
 * A list of 1,000 cards, scrolled from the top to the bottom by the wheel: how many tasks of the page were long. The cards are those
 * that the server drew for the demo's list, again and again: a list's own page holds fewer.
 */
export async function benchScroll(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "keyhub-bench-scroll-"));
  // Started as root, Postgres runs as another user, who must be able to enter the folder.
  await chmod(folder, 0o755);
  const [stack, browser] = await Promise.all([
    startStack({ dataDir: join(folder, "data") }),
    launchUnsharedBrowser(),
  ]);
  try {
    for (const [device, width, height] of [
      ["desktop", 1280, 860],
      ["phone", 390, 844],
    ] as const) {
      for (const contained of [true, false]) {
        const page = await browser.newPage({ baseURL: stack.url, viewport: { width, height } });
        await page.goto("/hub?sort=newest", { waitUntil: "networkidle" });
        await page.evaluate(
          ({ most, contained }) => {
            const list = document.querySelector(".cards");
            const cards = [...(list?.children ?? [])];
            for (let i = cards.length; i < most; i++)
              list?.append(cards[i % cards.length]?.cloneNode(true) ?? "");
            if (contained) return;
            for (const card of document.querySelectorAll<HTMLElement>(".card"))
              card.style.contentVisibility = "visible";
          },
          { most: CARDS, contained },
        );
        await page.waitForTimeout(1_000);
        await browser.startTracing(page, { categories: ["toplevel"] });
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
        const long = tasks.filter((task) => task > LONG);
        const cards = await page.locator(".card").count();
        console.log(
          `${device}, ${cards} cards, ${contained ? "as styled" : "without content-visibility"}: ${long.length} tasks of more than ${LONG} ms ` +
            `of ${tasks.length}, the longest ${Math.max(0, ...tasks).toFixed(1)} ms; ${wheels} turns of the wheel`,
        );
        await page.close();
      }
    }
  } finally {
    await browser.close();
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The outermost event of a task: others lie inside it. */
const TASK = "ThreadControllerImpl::RunTask";

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  args?: { name?: string };
  /** Microseconds that the thread ran: not those in which it waited for others of this machine. */
  tdur?: number;
}

/** Milliseconds of each task of the pages' main threads. */
function mainThreadTasks(trace: Buffer): number[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const thread = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const main = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(thread),
  );
  return traceEvents
    .filter((event) => event.name === TASK && main.has(thread(event)) && event.tdur !== undefined)
    .map(({ tdur = 0 }) => tdur / 1_000);
}
