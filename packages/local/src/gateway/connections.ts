import { type ClientHttp2Session, connect, constants } from "node:http2";

/** The largest number of connections for each port that stay open for later requests. */
const MOST_FREE = 64;

/** The number of bytes of an answer that may arrive before they are read. The default of 64 KB makes large answers slow. */
const WINDOW = 1024 * 1024;

/**
 * Keeps HTTP/2 connections to the functions. HTTP/2 has a message for a caller that goes away, which makes Deno abort the request's signal.
 * Over HTTP/1.1, Deno 2.9 notices before the answer that a caller has gone only if the request fits into one read of some 500 bytes. Each
 * connection carries one request at a time: requests on one connection share its window, so a body that nobody reads would block the
 * others.
 */
export class Connections {
  readonly #free = new Map<number, ClientHttp2Session[]>();
  readonly #all = new Set<ClientHttp2Session>();

  /** Returns a connection to a loopback port, for one request. */
  take(port: number): ClientHttp2Session {
    for (let session = this.#free.get(port)?.pop(); session; session = this.#free.get(port)?.pop())
      if (!session.closed && !session.destroyed) return session;
    const session = connect(`http://127.0.0.1:${port}`, {
      settings: { enablePush: false, initialWindowSize: WINDOW },
    });
    this.#all.add(session);
    // Ignore the error here, because the request on the connection gets the same error.
    session.on("error", () => {});
    session.on("connect", () => !session.destroyed && session.setLocalWindowSize(WINDOW));
    session.on("goaway", () => session.close());
    session.on("close", () => this.#all.delete(session));
    return session;
  }

  /** Gives a connection back when its request has ended. */
  release(port: number, session: ClientHttp2Session): void {
    if (session.closed || session.destroyed) return;
    const free = (this.#free.get(port) ?? []).filter((one) => !one.closed && !one.destroyed);
    if (free.length < MOST_FREE) this.#free.set(port, [...free, session]);
    else session.close();
  }

  close(): void {
    for (const session of this.#all) session.destroy(undefined, constants.NGHTTP2_NO_ERROR);
  }
}
