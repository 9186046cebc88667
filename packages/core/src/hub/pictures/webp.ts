import { type Cleaned, joined, letters, type PictureFault, viewOf } from "./picture.ts";

export function isWebp(bytes: Uint8Array): boolean {
  return letters(bytes, 0, 4) === "RIFF" && letters(bytes, 8, 4) === "WEBP";
}

/** Flags in the header of an extended file. */
const ANIMATION = 0x02;
const ALPHA = 0x10;

/** Keeps the picture, its transparency, and the header of an extended file. In this header, only the flag of the transparency may stay. */
export function cleanWebp(bytes: Uint8Array): Cleaned | PictureFault {
  if (bytes.length < 12) return "cut_off";
  const view = viewOf(bytes);
  const end = 8 + view.getUint32(4, true);
  if (end > bytes.length) return "cut_off";
  let header: Uint8Array | null = null;
  let canvas: Size | null = null;
  let alpha: Uint8Array | null = null;
  for (let at = 12; at + 8 <= end; ) {
    const name = letters(bytes, at, 4);
    const length = view.getUint32(at + 4, true);
    // A chunk of odd length is followed by one padding byte.
    const next = at + 8 + length + (length & 1);
    if (at + 8 + length > end) return "damaged";
    const content = bytes.subarray(at + 8, at + 8 + length);
    if (name === "ANIM" || name === "ANMF") return "animated";
    if (name === "VP8X") {
      if (at !== 12 || length !== 10) return "damaged";
      const flags = view.getUint8(at + 8);
      if (flags & ANIMATION) return "animated";
      header = content.slice();
      header.set([flags & ALPHA, 0, 0, 0]);
      canvas = { width: 1 + uint24(content, 4), height: 1 + uint24(content, 7) };
    } else if (name === "ALPH" && header !== null) {
      alpha ??= content;
    } else if (name === "VP8 " || name === "VP8L") {
      const size = name === "VP8 " ? lossySize(content) : losslessSize(content);
      if (size === null || (canvas && !isSame(size, canvas))) return "damaged";
      const parts = [
        ...(header ? chunk("VP8X", header) : []),
        ...(alpha && name === "VP8 " ? chunk("ALPH", alpha) : []),
        ...chunk(name, content),
      ];
      return { bytes: riff(parts), ...size };
    } else if (header === null) return "damaged";
    at = next;
  }
  return "cut_off";
}

interface Size {
  width: number;
  height: number;
}

const isSame = (one: Size, other: Size) => one.width === other.width && one.height === other.height;

/** Returns the size at the start of a key frame. The upper two bits of width and height are a scale that no viewer uses. */
function lossySize(frame: Uint8Array): Size | null {
  const [tag = 1, , , ...start] = frame.subarray(0, 10);
  if (frame.length < 10 || (tag & 1) !== 0 || start[0] !== 0x9d || start[1] !== 0x01 || start[2] !== 0x2a)
    return null;
  const view = viewOf(frame);
  return { width: view.getUint16(6, true) & 0x3fff, height: view.getUint16(8, true) & 0x3fff };
}

function losslessSize(stream: Uint8Array): Size | null {
  if (stream.length < 5 || stream[0] !== 0x2f) return null;
  const bits = viewOf(stream).getUint32(1, true);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}

function uint24(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
}

function chunk(name: string, content: Uint8Array): Uint8Array[] {
  return [
    new TextEncoder().encode(name),
    uint32(content.length),
    content,
    new Uint8Array(content.length & 1),
  ];
}

function riff(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const body = joined([new TextEncoder().encode("WEBP"), ...parts]);
  return joined([new TextEncoder().encode("RIFF"), uint32(body.length), body]);
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  viewOf(bytes).setUint32(0, value, true);
  return bytes;
}
