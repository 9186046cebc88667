/** How many answers of each kind a key got: by status, those of a proxy as `403 page`. */
export type StatusCounts = Record<string, number>;

/** What the agents saw about one key: leases, and the provider's answers by kind; `none` where none came. */
interface KeyRecord {
  leases: number;
  answers: StatusCounts;
}

/** Everything the agents saw. Independent of the service's own counts. */
export class RunRecord {
  readonly #startedAt = performance.now();
  readonly #keys = new Map<string, KeyRecord>();
  /** The final answers to callers of the gateway, and how often it called the provider for them. */
  readonly gateway = { answers: {} as StatusCounts, attempts: 0 };
  /** How often agents waited for cooling keys, and the sum in seconds. Waits inside the gateway are not counted. */
  waits = 0;
  waitedSeconds = 0;
  /** Leases that the checker found wrong. */
  wrong = 0;
  /** Names of keys that were disabled though the provider had revoked none of them. */
  readonly wronglyDisabled = new Set<string>();
  /** Failed calls of get-active-key that may have made a lease all the same. */
  lost = 0;
  /** Durations of get-active-key when it leased a key, in milliseconds. */
  readonly leaseMs: number[] = [];
  /** Unexpected answers of the service. */
  readonly faults = new Map<string, number>();
  /** The latest events, oldest first, for the screen. */
  readonly news: string[] = [];
  #last = { text: "", times: 0 };

  key(id: string): KeyRecord {
    const known = this.#keys.get(id) ?? { leases: 0, answers: {} };
    this.#keys.set(id, known);
    return known;
  }

  throughGateway(kind: string, attempts: number): void {
    count(this.gateway.answers, kind);
    this.gateway.attempts += attempts;
  }

  waited(seconds: number): void {
    this.waits += 1;
    this.waitedSeconds += seconds;
  }

  fault(what: string): void {
    this.faults.set(what, (this.faults.get(what) ?? 0) + 1);
  }

  /** An event that repeats is counted, not listed again. */
  note(text: string): void {
    const repeated = this.#last.text === text;
    if (repeated) this.news.pop();
    this.#last = { text, times: repeated ? this.#last.times + 1 : 1 };
    const times = repeated ? ` (${this.#last.times} times)` : "";
    this.news.push(`${this.seconds().toFixed(1).padStart(5)} s  ${text}${times}`);
    if (this.news.length > 6) this.news.shift();
  }

  /** Since the run began. */
  seconds(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }

  leases(): number {
    return sum(this.#keys.values(), ({ leases }) => leases);
  }

  /** Answers of the provider of one of these kinds that the agents saw. */
  answers(...kinds: string[]): number {
    const seen = [...this.#keys.values(), this.gateway];
    return sum(seen, ({ answers }) => sum(kinds, (kind) => answers[kind] ?? 0));
  }
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
