import { LeaseChecker } from "./lease-checker.ts";

/** The number of the provider's answers of each kind. A kind is a status; pages of a proxy are counted as `403 page`. */
export type StatusCounts = Record<string, number>;

/** The meaning of the provider's answers: their kinds, and the outcome that the service must log for them. */
const MEANING = {
  served: { kinds: ["200"], outcome: "success" },
  limits: { kinds: ["429"], outcome: "rate_limited" },
  dead: { kinds: ["401", "403"], outcome: "invalid_key" },
  refused: { kinds: ["400"], outcome: "caller_fault" },
  faults: { kinds: ["500", "503", "529"], outcome: "server_error" },
  pages: { kinds: ["403 page"], outcome: "intermediary" },
};
export type Meaning = keyof typeof MEANING;
export const MEANINGS = Object.entries(MEANING) as [Meaning, (typeof MEANING)[Meaning]][];

/** The record of everything that the agents saw. It is independent of the service's own counts. */
export class DemoRecord {
  readonly #startedAt = performance.now();
  /** The leases of agents with the client, and the answers to their calls; `none` counts missing answers. */
  leases = 0;
  readonly byFetch: StatusCounts = {};
  /** The final answers to callers of the gateway, and the number of calls that the gateway made for them. */
  readonly byGateway: StatusCounts = {};
  attempts = 0;
  /** How often agents waited for cooling keys, and the sum of the waits in seconds, without waits inside the gateway. */
  waits = 0;
  waitedSeconds = 0;
  /** The number of leases that were wrong according to the checker, because their key was blocked. */
  wrong = 0;
  readonly checker = new LeaseChecker();
  /** When the operator undid the reports of the lying agent, by the database's clock. */
  undoneAt: Date | null = null;
  /** Some answers were lost, so the service may have leases and calls that no agent saw. There are at most this many. */
  lost = 0;
  /** Unexpected answers of the service. */
  readonly faults: StatusCounts = {};
  /** The latest events, oldest first, for the screen. */
  readonly news: string[] = [];

  waited(ms: number): void {
    this.waits += 1;
    this.waitedSeconds += ms / 1000;
  }

  note(text: string): void {
    this.news.push(`${this.seconds().toFixed(1).padStart(5)} s  ${text}`);
    if (this.news.length > 6) this.news.shift();
  }

  /** Returns the seconds since the run began. */
  seconds(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }

  /** Returns how many answers with this meaning the agents got. */
  answers(meaning: Meaning): number {
    return answersOf(this.byFetch, meaning) + answersOf(this.byGateway, meaning);
  }
}

/** Returns the number of answers with this meaning; without `meaning`, of all answers. */
export function answersOf(counts: StatusCounts, meaning?: Meaning): number {
  return sum(meaning ? MEANING[meaning].kinds : Object.keys(counts), (kind) => counts[kind] ?? 0);
}

export function sum<T>(all: Iterable<T>, of: (one: T) => number): number {
  return Array.from(all, of).reduce((before, next) => before + next, 0);
}

export function count(counts: StatusCounts, kind: string): void {
  counts[kind] = (counts[kind] ?? 0) + 1;
}

/** Returns the kind under which an answer of the provider is counted: its status, with ` page` added for the page of a proxy. */
export function kindOf(response: Response): string {
  const isPage = response.headers.get("content-type")?.startsWith("text/html");
  return `${response.status}${isPage ? " page" : ""}`;
}
