import { inject } from "vitest";

/** An answer of a function, in the form that check-answer.ts compares with the OpenAPI document. */
export interface RecordedAnswer {
  method: string;
  /** The path below the project URL, without its query. */
  path: string;
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * Returns a fetch that records the answers, and `check`, which sends them to the global setup, where the checker is loaded only once.
 */
export function recorded(fetchFrom: (path: string, init?: RequestInit) => Promise<Response>) {
  // Soaks and benches run without Vitest, so there is no global setup that checks answers.
  if (process.env.VITEST === undefined) return { fetch: fetchFrom, check: async () => {} };
  const recording: Promise<RecordedAnswer | undefined>[] = [];
  return {
    fetch: async (path: string, init?: RequestInit): Promise<Response> => {
      const response = await fetchFrom(path, init);
      recording.push(record(init?.method ?? "GET", path, response.clone()));
      return response;
    },
    /** Throws an error with the faults of the answers so far, if there are any. */
    check: async (): Promise<void> => {
      const answers = (await Promise.all(recording.splice(0))).filter((answer) => answer !== undefined);
      const body = JSON.stringify(answers);
      const checked = await fetch(new URL("/answers", inject("sharedAddress")), { method: "POST", body });
      if (!checked.ok) throw new Error(await checked.text());
    },
  };
}

/** Records an answer; undefined when the connection broke before the body was complete. */
async function record(method: string, path: string, response: Response): Promise<RecordedAnswer | undefined> {
  const [plain = ""] = path.split("?");
  const { status, headers } = response;
  try {
    return { method, path: plain, status, headers: Object.fromEntries(headers), body: await response.text() };
  } catch {
    return undefined;
  }
}
