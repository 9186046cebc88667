import type { Sleep } from "./types.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type Read = { done: true; value?: Bytes | undefined } | { done: false; value: Bytes };

/** Reads a body piece by piece. */
export interface PieceReader {
  read(): Promise<Read>;
  cancel(reason?: unknown): Promise<void>;
}

export interface GatherPorts {
  wait: Sleep;
  /** Returns the milliseconds of a monotonic clock. */
  now(): number;
}

/**
 * After a piece was passed on, the bytes of the next GATHER_MS milliseconds are gathered and passed on together as one piece. A piece that
 * arrives later, such as a word of a language model, is passed on at once.
 */
const GATHER_MS = 8;
/** The most bytes that are gathered. After that, the sender must wait until they have been read. */
const GATHER_BYTES = 65_536;
/** The size of one read in bytes, and of the first buffer for gathered pieces. That buffer is small: a model's words are short. */
const READ_BYTES = 32_768;
const FIRST_BYTES = 4_096;
const NOTHING: Bytes = new Uint8Array();

/**
 * Reads ahead, and passes on as one piece all bytes that have arrived, because each piece costs its reader as much time as a kilobyte. All
 * reads use the same buffer. Otherwise Deno would allocate and clear 64 KB for each read, which costs six times the read itself.
 */
export class Gatherer implements PieceReader {
  readonly #source: PieceReader;
  readonly #ports: GatherPorts;
  #pieces = NOTHING;
  #size = 0;
  /** Length of the next buffer for pieces. */
  #length = FIRST_BYTES;
  #ended = false;
  #failure: { error: unknown } | null = null;
  #started = false;
  #passedOnAt = Number.NEGATIVE_INFINITY;
  /** Functions that end the three waits: for the first bytes, for the end of the gathering, and for room in the buffer. */
  #some = () => {};
  #enough = () => {};
  #room = () => {};

  constructor(body: ReadableStream<Bytes>, ports: GatherPorts) {
    this.#source = intoOneBuffer(body);
    this.#ports = ports;
  }

  async read(): Promise<Read> {
    if (!this.#started) void this.#readAhead();
    this.#started = true;
    if (this.#size === 0 && !this.#ended)
      await new Promise<void>((resolve) => {
        this.#some = resolve;
      });
    const early = GATHER_MS - (this.#ports.now() - this.#passedOnAt);
    if (early > 0 && !this.#isEnough()) await this.#gather(early);
    this.#passedOnAt = this.#ports.now();
    if (this.#size === 0) {
      if (this.#failure !== null) throw this.#failure.error;
      return { done: true };
    }
    const value = this.#take();
    this.#room();
    return { done: false, value };
  }

  cancel(reason?: unknown): Promise<void> {
    this.#ended = true;
    this.#room();
    return this.#source.cancel(reason);
  }

  async #readAhead(): Promise<void> {
    try {
      while (!this.#ended) {
        if (this.#size >= GATHER_BYTES)
          await new Promise<void>((resolve) => {
            this.#room = resolve;
          });
        const { done, value } = await this.#source.read();
        if (done) break;
        this.#keep(value);
        this.#some();
        if (this.#isEnough()) this.#enough();
      }
    } catch (error) {
      this.#failure = { error };
    }
    this.#ended = true;
    this.#some();
    this.#enough();
  }

  #isEnough(): boolean {
    return this.#ended || this.#size >= GATHER_BYTES;
  }

  #gather(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#enough = resolve;
      void this.#ports.wait(ms).then(resolve);
    });
  }

  #keep(piece: Bytes): void {
    const size = this.#size + piece.byteLength;
    if (size > this.#pieces.byteLength) {
      this.#length = Math.max(size, Math.min(2 * this.#length, GATHER_BYTES + READ_BYTES));
      const larger = new Uint8Array(this.#length);
      larger.set(this.#pieces.subarray(0, this.#size));
      this.#pieces = larger;
    }
    this.#pieces.set(piece, this.#size);
    this.#size = size;
  }

  /**
   * Removes and returns the gathered bytes. Few bytes are copied. Many bytes are passed on in the buffer
   * itself, because a copy would need a new buffer too, and also the time to fill it.
   */
  #take(): Bytes {
    const [pieces, size] = [this.#pieces, this.#size];
    this.#size = 0;
    if (size < pieces.byteLength / 2) return pieces.slice(0, size);
    this.#pieces = NOTHING;
    return pieces.subarray(0, size);
  }
}

/** Reads one body, always into the same buffer if the body allows that. A piece is valid until the next read. */
function intoOneBuffer(body: ReadableStream<Bytes>): PieceReader {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = body.getReader({ mode: "byob" });
  } catch {
    return body.getReader();
  }
  let buffer = new ArrayBuffer(READ_BYTES);
  const keepBuffer = (read: ReadableStreamReadResult<Bytes>): Read => {
    if (read.value !== undefined) buffer = read.value.buffer;
    return read as Read;
  };
  return {
    read: () => reader.read(new Uint8Array(buffer)).then(keepBuffer),
    cancel: (reason) => reader.cancel(reason),
  };
}
