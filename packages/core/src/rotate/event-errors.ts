import type { Failure } from "./types.ts";

/** The longest line that is examined, and the longest text that is reported, in characters. */
const LINE = 65_536;
export const REPORTED_CHARACTERS = 4_096;

/**
 * Looks for an error in a stream of server-sent events whose status was 200: an event named `error`, data of the type `response.failed`, or
 * data with a member `error`. The text may arrive in pieces of any size. Time is linear in the text. Lines longer than LINE are skipped.
 */
export class EventErrors {
  #rest = "";
  #skipping = false;
  #event = "";
  /** Lines that are not events: some providers end a stream with a plain JSON error. */
  #stray = "";
  /** How many more times the stray lines are parsed, to see whether their JSON is complete. */
  #guesses = 16;
  #failure: Failure | null = null;

  get failure(): Failure | null {
    return this.#failure;
  }

  push(text: string): void {
    if (this.#failure !== null || this.#passes(text)) return;
    const lines = text.split(/\r\n|\n|\r/);
    for (let i = 0; i < lines.length && this.#failure === null; i += 1) {
      const piece = lines[i] ?? "";
      if (!this.#skipping) this.#rest += piece;
      if (this.#rest.length > LINE) {
        this.#rest = "";
        this.#skipping = true;
      }
      if (i === lines.length - 1) break;
      if (!this.#skipping) this.#line(this.#rest);
      this.#rest = "";
      this.#skipping = false;
    }
    this.#strayEnd();
  }

  /** Reads the last line, which may have no line end. */
  end(): Failure | null {
    if (this.#failure === null && this.#rest !== "") this.#line(this.#rest);
    if (this.#stray.includes('"error"')) this.#failure ??= failureIn(this.#stray, false);
    return this.#failure;
  }

  /**
   * Returns whether a piece cannot contain an error. Most pieces cannot, and are not split into lines; only their unfinished last line
   * is kept.
   */
  #passes(text: string): boolean {
    if (this.#skipping || this.#event !== "" || this.#stray !== "") return false;
    const whole = this.#rest + text;
    if (hasError(whole) || linesMatter(whole, "\n") || linesMatter(whole, "\r")) return false;
    this.#rest = whole.slice(lastLine(whole));
    this.#skipping = this.#rest.length > LINE;
    if (this.#skipping) this.#rest = "";
    return true;
  }

  /** Reports a plain JSON error as soon as it is complete, because the reader of the stream may stop without cancelling. */
  #strayEnd(): void {
    const text = this.#stray + this.#rest;
    if (this.#failure !== null || this.#guesses <= 0 || !/[}\]]\s*$/.test(text.slice(-8))) return;
    if (!text.includes('"error"') || !/^\s*[[{]/.test(text)) return;
    this.#guesses -= 1;
    this.#failure = failureIn(text, false);
  }

  #line(line: string): void {
    if (line === "") this.#event = "";
    else if (line.startsWith("event:")) this.#event = line.slice(6).trim() === "error" ? "error" : "";
    else if (line.startsWith("data:")) {
      const named = this.#event === "error";
      // A line without "error" is not parsed, which saves the time for most lines.
      if (named || line.includes('"error"')) this.#failure = failureIn(line.slice(5).trim(), named);
    } else if (!/^(?::|id:|retry:)/.test(line) && this.#stray.length < LINE)
      this.#stray += line.slice(0, LINE);
  }
}

/** Searches first for six characters, which most texts do not contain: V8 searches for six many times faster than for seven. */
const hasError = (text: string) => text.includes('"error') && text.includes('"error"');

/**
 * Returns whether a line begins like JSON or names an error event. Looks only at the
 * beginnings of lines; a regular expression would look at every character.
 */
function linesMatter(text: string, lineEnd: string): boolean {
  for (let at = 0; ; ) {
    let next = text[at];
    if (next === "e" && isErrorEvent(text, at)) return true;
    while (next === " " || next === "\t") next = text[++at];
    if (next === "{" || next === "[") return true;
    at = text.indexOf(lineEnd, at) + 1;
    if (at === 0) return false;
  }
}

const ERROR_EVENT = /event:\s*error/y;

function isErrorEvent(text: string, at: number): boolean {
  ERROR_EVENT.lastIndex = at;
  return ERROR_EVENT.test(text);
}

/**
 * Returns where the last line begins. Searches backward for `\n`, which is usually near, and
 * forward for `\r`, which most streams do not have.
 */
function lastLine(text: string): number {
  const at = text.lastIndexOf("\n") + 1;
  return text.indexOf("\r", at) < 0 ? at : text.lastIndexOf("\r") + 1;
}

function failureIn(data: string, named: boolean): Failure | null {
  let body: unknown;
  try {
    body = JSON.parse(data);
  } catch {
    return named ? failure("server_error", data) : null;
  }
  // Google sends a list whose one element contains the error.
  if (Array.isArray(body)) body = body[0];
  const { error, response } = record(body);
  const inner = record(body).type === "response.failed" ? record(response).error : undefined;
  const found = inner ?? error ?? (named || record(body).type === "error" ? body : null);
  if (found === null || found === undefined || found === false) return null;
  return failure(codeOf(found), data);
}

/** Returns the code, status or type of the error: the first that is a number or one word. */
function codeOf(error: unknown): number | string {
  const { code, status, type } = record(error);
  for (const named of [code, status, type]) {
    if (typeof named === "number" && named !== 0) return named;
    if (typeof named === "string" && /^[\w.-]{1,80}$/.test(named) && named !== "error") return named;
  }
  return "server_error";
}

function failure(error_code: number | string, data: string): Failure {
  return { status: "fail", error_code, error_message: data.slice(0, REPORTED_CHARACTERS) };
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
