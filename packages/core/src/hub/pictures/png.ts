import { type Cleaned, joined, letters, type PictureFault, viewOf } from "./picture.ts";

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** The optional chunks that change what is seen, and the longest content of each, in bytes. */
const SEEN: Record<string, number> = { tRNS: 256, gAMA: 4, sRGB: 1, cHRM: 32 };

/** The bit depths of each colour type. */
const DEPTHS: Record<number, readonly number[]> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

export function isPng(bytes: Uint8Array): boolean {
  return SIGNATURE.every((byte, place) => bytes[place] === byte);
}

/** Keeps the chunks that make the picture, each with its checksum, up to the end of the picture. */
export function cleanPng(bytes: Uint8Array): Cleaned | PictureFault {
  const view = viewOf(bytes);
  const kept = [bytes.subarray(0, SIGNATURE.length)];
  const seen = new Set<string>();
  let last = "";
  for (let at = SIGNATURE.length; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at);
    const name = letters(bytes, at + 4, 4);
    const end = at + 12 + length;
    if (end > bytes.length) return "cut_off";
    if (!/^[A-Za-z]{4}$/.test(name) || (name === "IHDR") !== (last === "")) return "damaged";
    if (name === "acTL" || name === "fcTL" || name === "fdAT") return "animated";
    const isCritical = /^[A-Z]/.test(name);
    const isSeen = length <= (SEEN[name] ?? -1) && !seen.has(name) && !seen.has("IDAT");
    if (isCritical && !fitsIn(name, length, seen, last)) return "damaged";
    if (isCritical || isSeen) {
      if (checksum(bytes.subarray(at + 4, end - 4)) !== view.getUint32(end - 4)) return "damaged";
      kept.push(bytes.subarray(at, end));
      seen.add(name);
    }
    if (name === "IHDR" && !(DEPTHS[view.getUint8(at + 17)] ?? []).includes(view.getUint8(at + 16)))
      return "damaged";
    if (name === "IEND")
      return { bytes: joined(kept), width: view.getUint32(16), height: view.getUint32(20) };
    last = name;
    at = end;
  }
  return "cut_off";
}

/** Returns whether a critical chunk may be at this position. Chunks that browsers do not know are never allowed. */
function fitsIn(name: string, length: number, seen: ReadonlySet<string>, last: string): boolean {
  switch (name) {
    case "IHDR":
      return length === 13;
    case "PLTE":
      return length <= 768 && !seen.has("PLTE") && !seen.has("IDAT");
    case "IDAT":
      return !seen.has("IDAT") || last === "IDAT";
    case "IEND":
      return length === 0 && seen.has("IDAT");
    default:
      return false;
  }
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** Returns the CRC-32. */
function checksum(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (TABLE[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}
