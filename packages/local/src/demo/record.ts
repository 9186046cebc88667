import { LeaseChecker } from "./lease-checker.ts";

/** How many answers of the provider there were of each kind: by status, those of a proxy as `403 page`. */
export type StatusCounts = Record<string, number>;

/** What the provider's answers mean: which kinds, and the outcome that the service must have logged for them. */
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

/** Everything that the agents saw. Independent of the service's own counts. */
export class DemoRecord {
  readonly #startedAt = performance.now();
  /** Leases that agents with the client got, and the answers to their calls; `none` where none came. */
  leases = 0;
  readonly byFetch: StatusCounts = {};
  /** The final answers to callers of the gateway, and how often it called the provider for them. */
  readonly byGateway: StatusCounts = {};
  attempts = 0;
  /** How often agents waited for cooling keys, and the sum in seconds. Waits inside the gateway are not counted. */
  waits = 0;
  waitedSeconds = 0;
  /** Leases of keys that were blocked, as the checker finds them. */
  wrong = 0;
  readonly checker = new LeaseChecker();
  /** When the operator undid the reports of the lying agent, by the database's clock. */
  undoneAt: Date | null = null;
  /** Leases, and calls to the provider, that there may be though no agent saw them: the answer was lost. */
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

  /** Since the run began. */
  seconds(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }

  /** Answers that the agents got. */
  answers(meaning: Meaning): number {
    return answersOf(this.byFetch, meaning) + answersOf(this.byGateway, meaning);
  }
}

/** Answers of one meaning, or of any. */
export function answersOf(counts: StatusCounts, meaning?: Meaning): number {
  return sum(meaning ? MEANING[meaning].kinds : Object.keys(counts), (kind) => counts[kind] ?? 0);
}

export function sum<T>(all: Iterable<T>, of: (one: T) => number): number {
  return Array.from(all, of).reduce((before, next) => before + next, 0);
}

export function count(counts: StatusCounts, kind: string): void {
  counts[kind] = (counts[kind] ?? 0) + 1;
}

/** An answer of the provider as it is counted: by its status, a page of a proxy apart. */
export function kindOf(response: Response): string {
  const isPage = response.headers.get("content-type")?.startsWith("text/html");
  return `${response.status}${isPage ? " page" : ""}`;
}
