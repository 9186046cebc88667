/** The limits of a listing's picture: its bytes, its pixels on a side, and how often a user may set one in an hour. */
export const PICTURE = { bytes: 1_048_576, side: 4096, perHour: 120 } as const;

/** A cleaned picture, and its size in pixels according to its header. */
export interface Cleaned {
  bytes: Uint8Array<ArrayBuffer>;
  width: number;
  height: number;
}

/** The reason why a file is refused. */
export type PictureFault = "not_a_picture" | "cut_off" | "damaged" | "animated" | "too_big";

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Returns `count` bytes from the position `from` on as text, one character per byte. */
export function letters(bytes: Uint8Array, from: number, count: number): string {
  return String.fromCharCode(...bytes.subarray(from, from + count));
}

export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.byteLength;
  }
  return all;
}
