import { envelopeIn } from "./envelope.ts";
import { leadingCode } from "./leading-code.ts";
import type { Answer } from "./types.ts";

/** An error's body says what it is near its beginning; the rest of a page or of a repeated request is not read. */
export const READ_CHARACTERS = 32_768;
const MAX_MESSAGE = 6_000;

/** What of a report a classification needs: the answer, and the code as it is logged. */
export interface Reading {
  answer: Answer;
  /** The status that the caller reported itself; 0 when the code is no status. */
  reported: number;
  /** A number of up to five digits or a known name, never free text. */
  code: string | null;
}

/** Reads what a caller reported of a failure: its code, and the text in any of the forms that callers have. */
export function readAnswer(errorCode: number | string | null, errorMessage: string | null): Reading {
  const { status: reported, name, code, rest } = leadingCode(errorCode);
  const text = `${rest.slice(0, READ_CHARACTERS)}\n${(errorMessage ?? "").slice(0, READ_CHARACTERS)}`.trim();
  const named = name === null ? [] : [name];
  if (text === "") {
    return { reported, code, answer: { status: reported, form: "none", codes: new Set(named), message: "" } };
  }
  if (isPage(text)) {
    const message = normalize(
      text.replace(/<(script|style)\b[^>]{0,500}>[^<]{0,20000}/gi, " ").replace(/<[^<>]{0,500}>/g, " "),
    );
    const status = reported || statusInPage(message);
    return { reported, code, answer: { status, form: "html", codes: new Set(named), message } };
  }
  const fields = envelopeIn(text);
  if (fields === null) {
    const answer: Answer = {
      status: reported || statusIn(text),
      form: "text",
      codes: new Set(named),
      message: normalize(text),
    };
    return { reported, code, answer };
  }
  const { envelope, prose } = fields;
  for (const word of named) envelope.codes.add(word);
  const status = reported || statusIn(prose) || (envelope.statuses[0] ?? 0);
  const message = normalize([...envelope.messages, prose].join("\n"));
  return { reported, code, answer: { status, form: "fields", codes: envelope.codes, message } };
}

/** Lower case, straight quotes, single blanks: what phrases are compared with. */
function normalize(text: string): string {
  return text.slice(0, MAX_MESSAGE).toLowerCase().replace(/[‘’`]/g, "'").replace(/\s+/g, " ").trim();
}

/** A page begins as one, or after the few words that an SDK puts before a body. */
function isPage(text: string): boolean {
  const head = text.slice(0, 2000).toLowerCase();
  const tag = /<(?:html|head|title|body|center|h1|meta|script|div|style|iframe)\b|<!doctype html|<!--/.exec(
    head,
  );
  return tag !== null && !/[{[]\s{0,8}["']/.test(head.slice(0, tag.index));
}

/** "Error code: 429 - …", "[429 Too Many Requests]", "got status: 429", "HTTP 429", "status_code=429", "429 RESOURCE_EXHAUSTED". */
const STATED_STATUS =
  /(?:^|[^\w.])(?:error code|status code|status_code|statuscode|got status|http status|status|http|code|returned|failed with|http\/1\.1|http\/2)["']?\s{0,3}[:=]?\s{0,3}["']?\(?([45]\d\d)\b|\[([45]\d\d) [a-z]|^\W{0,3}([45]\d\d)\b|: ([45]\d\d) [A-Z]|\(([45]\d\d)\)|\b([45]\d\d) (?:too many requests|unauthorized|forbidden|bad request|payment required|internal server error|service unavailable|bad gateway|gateway time)/i;

function statusIn(text: string): number {
  const found = STATED_STATUS.exec(text.slice(0, 2000));
  return Number(found?.slice(1).find((group) => group !== undefined) ?? 0);
}

function statusInPage(message: string): number {
  return Number(/\b([45]\d\d)\b/.exec(message.slice(0, 200))?.[1] ?? 0);
}
