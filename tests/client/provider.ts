import { createHash } from "node:crypto";
import { EventEmitter } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The provider's reaction to one request. */
export type Act =
  | { act: "ok" }
  | {
      act: "error";
      status: number;
      body?: string | Buffer;
      headers?: Record<string, string>;
      reason?: string;
    }
  /** Half of a stream, then the connection is cut. */
  | { act: "cut" }
  /** Half of a stream, then this text and the end. */
  | { act: "breaks"; text: string }
  /** Half of a stream, then nothing until the caller goes away. */
  | { act: "stalls" }
  | { act: "hang" }
  /** The connection is closed before the answer. */
  | { act: "closes" }
  | { act: "redirect"; to: string; status?: number };

/** A received request. */
export interface Seen {
  key: string;
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  bytes: number;
  sha256: string;
}

export interface Provider {
  origin: string;
  seen: Seen[];
  /** The reactions to the next requests, in order. When none is left, the provider answers `ok`. */
  acts: Act[];
  /** The reaction to every request with this key. It comes before `acts`. */
  byKey: Map<string, Act>;
  /** Emits `request` for each request to UNREAD. */
  unread: EventEmitter;
  reset(): void;
  stop(): Promise<void>;
}

/** A path whose requests are neither read nor answered. */
export const UNREAD = "/v1/unread";

/** Starts a provider on loopback that uses the wire formats of OpenAI, Anthropic and Gemini, by path. */
export async function startProvider(): Promise<Provider> {
  const seen: Seen[] = [];
  const acts: Act[] = [];
  const byKey = new Map<string, Act>();
  const unread = new EventEmitter();

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === UNREAD) return void unread.emit("request");
    const hash = createHash("sha256");
    let bytes = 0;
    let start = "";
    for await (const chunk of request) {
      hash.update(chunk);
      bytes += chunk.length;
      if (start.length < 65_536) start += chunk;
    }
    const url = new URL(request.url ?? "", "http://provider.test");
    // With `/control`, a test in another process sets the next answers, and reads the requests so far.
    if (url.pathname === "/control") {
      const { acts: next, byKey: keys } = JSON.parse(start);
      acts.splice(0, acts.length, ...next);
      byKey.clear();
      for (const [key, one] of Object.entries(keys)) byKey.set(key, one as Act);
      response.end(JSON.stringify(seen.splice(0)));
      return;
    }
    const key = keyOf(request, url);
    const { method = "", headers } = request;
    seen.push({
      key,
      method,
      path: `${url.pathname}${url.search}`,
      headers,
      bytes,
      sha256: hash.digest("hex"),
    });
    const streams = /"stream":\s*true/.test(start) || url.pathname.includes(":stream");
    act(byKey.get(key) ?? acts.shift() ?? { act: "ok" }, url, streams, response);
  }

  const server = createServer((request, response) => void serve(request, response).catch(() => {}));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    acts,
    byKey,
    unread,
    reset() {
      seen.length = 0;
      acts.length = 0;
      byKey.clear();
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function keyOf({ headers }: IncomingMessage, url: URL): string {
  const bearer = headers.authorization?.replace(/^Bearer /, "");
  const found = headers["x-api-key"] ?? headers["x-goog-api-key"] ?? bearer ?? url.searchParams.get("key");
  return String(found ?? "");
}

function act(what: Act, url: URL, streams: boolean, response: ServerResponse): void {
  if (what.act === "hang") return;
  if (what.act === "closes") return void response.destroy();
  if (what.act === "error") {
    const headers = { "content-type": "application/json", ...what.headers };
    if (what.reason !== undefined) response.statusMessage = what.reason;
    response.writeHead(what.status, headers).end(what.body ?? "");
  } else if (what.act === "redirect") {
    response.writeHead(what.status ?? 307, { location: what.to }).end();
  } else if (!streams && what.act === "ok") {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(wholeAnswer(url)));
  } else {
    const events = streamedAnswer(url);
    const half = events.slice(0, Math.ceil(events.length / 2));
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (what.act === "ok") response.end(events.join(""));
    else response.write(half.join(""), () => breakOff(what, response));
  }
}

function breakOff(what: Act, response: ServerResponse): void {
  // Wait, so that the first half has been read.
  if (what.act === "cut") setTimeout(() => response.destroy(), 50);
  if (what.act === "breaks") setTimeout(() => response.end(what.text), 50);
}

const TEXT = ["forty", "-", "two"];

function wholeAnswer({ pathname }: URL): unknown {
  const text = TEXT.join("");
  if (pathname.includes(":generateContent")) {
    return {
      candidates: [{ content: { role: "model", parts: [{ text }] }, finishReason: "STOP", index: 0 }],
    };
  }
  if (pathname.endsWith("/messages")) {
    return {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude",
      content: [{ type: "text", text }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 3 },
    };
  }
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "gpt",
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 3, total_tokens: 4 },
  };
}

function streamedAnswer({ pathname }: URL): string[] {
  if (pathname.includes(":stream")) {
    return TEXT.map((text, i) =>
      data({
        candidates: [
          {
            content: { role: "model", parts: [{ text }] },
            index: 0,
            ...(i === TEXT.length - 1 && { finishReason: "STOP" }),
          },
        ],
      }),
    );
  }
  if (pathname.endsWith("/messages")) {
    const event = (type: string, rest: object) => `event: ${type}\n${data({ type, ...rest })}`;
    const message = { ...(wholeAnswer({ pathname } as URL) as object), content: [], stop_reason: null };
    return [
      event("message_start", { message }),
      event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
      ...TEXT.map((text) => event("content_block_delta", { index: 0, delta: { type: "text_delta", text } })),
      event("content_block_stop", { index: 0 }),
      event("message_delta", {
        delta: { stop_reason: "end_turn", stop_sequence: null },
        usage: { output_tokens: 3 },
      }),
      event("message_stop", {}),
    ];
  }
  const chunk = (delta: object, finish_reason: string | null) =>
    data({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1,
      model: "gpt",
      choices: [{ index: 0, delta, finish_reason }],
    });
  return [
    chunk({ role: "assistant", content: "" }, null),
    ...TEXT.map((content) => chunk({ content }, null)),
    chunk({}, "stop"),
    "data: [DONE]\n\n",
  ];
}

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
