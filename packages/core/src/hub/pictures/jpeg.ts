import { type Cleaned, joined, letters, type PictureFault, viewOf } from "./picture.ts";

export function isJpeg(bytes: Uint8Array): boolean {
  return bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;
}

/** The markers of segments to keep: tables, frames that browsers show (baseline, extended, progressive), and the restart interval. */
const NEEDED = [0xdb, 0xc4, 0xc0, 0xc1, 0xc2, 0xdd];
const SCAN = 0xda;
const END = 0xd9;

/** Replaces the JFIF header of a picture that had one. Without any JFIF header, some decoders would guess other colours. */
const JFIF = Uint8Array.of(0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0);

/** Keeps the segments that make the picture, up to its end, and from the EXIF only the orientation. */
export function cleanJpeg(bytes: Uint8Array): Cleaned | PictureFault {
  const view = viewOf(bytes);
  const kept: Uint8Array[] = [];
  let size: { width: number; height: number } | null = null;
  let [hasJfif, orientation, hasScan] = [false, 1, false];
  for (let at = 2; at + 1 < bytes.length; ) {
    if (bytes[at] !== 0xff) return "damaged";
    const marker = view.getUint8(at + 1);
    // Any number of fill bytes 0xff may precede a marker.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === END) {
      if (size === null || !hasScan) return "damaged";
      const start = [bytes.subarray(0, 2), ...(hasJfif ? [JFIF] : []), ...exifOf(orientation)];
      return { bytes: joined([...start, ...kept, Uint8Array.of(0xff, END)]), ...size };
    }
    if (at + 4 > bytes.length) return "cut_off";
    const length = view.getUint16(at + 2);
    let end = at + 2 + length;
    if (length < 2) return "damaged";
    if (end > bytes.length) return "cut_off";
    const isApplication = marker >= 0xe0 && marker <= 0xef;
    if (!isApplication && marker !== 0xfe) {
      if (marker !== SCAN && !NEEDED.includes(marker)) return "damaged";
      if (marker >= 0xc0 && marker <= 0xc2) {
        // A second frame would be another picture. Browsers only show 8 bits per colour.
        if (size !== null || length < 11 || view.getUint8(at + 4) !== 8) return "damaged";
        if (length !== 8 + 3 * view.getUint8(at + 9)) return "damaged";
        size = { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
      }
      if (marker === SCAN) {
        if (size === null) return "damaged";
        hasScan = true;
        end = endOfScan(bytes, end);
      }
      kept.push(bytes.subarray(at, end));
    } else if (letters(bytes, at + 4, 5) === "JFIF\0") {
      hasJfif ||= marker === 0xe0;
    } else if (marker === 0xee && letters(bytes, at + 4, 5) === "Adobe" && length >= 14) {
      // The first 12 bytes of this segment define how the colours are stored.
      kept.push(Uint8Array.of(0xff, 0xee, 0, 14), bytes.subarray(at + 4, at + 16));
    } else if (marker === 0xe1 && letters(bytes, at + 4, 6) === "Exif\0\0") {
      if (orientation === 1) orientation = orientationOf(bytes.subarray(at + 10, end));
    }
    at = end;
  }
  return "cut_off";
}

/** Returns the end of the compressed pixels that begin at `start`: the position of the next marker that does not belong to them. */
function endOfScan(bytes: Uint8Array, start: number): number {
  let at = bytes.indexOf(0xff, start);
  while (at !== -1) {
    const next = bytes[at + 1];
    if (next !== undefined && next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
    at = bytes.indexOf(0xff, at + 1);
  }
  return bytes.length;
}

const ORIENTATION = 0x0112;

/** Returns the orientation of the first EXIF directory, 1 to 8; 1 if it cannot be read. */
function orientationOf(exif: Uint8Array): number {
  const order = letters(exif, 0, 4);
  const isLittle = order === "II*\0";
  if (exif.length < 8 || (!isLittle && order !== "MM\0*")) return 1;
  const view = viewOf(exif);
  const directory = view.getUint32(4, isLittle);
  if (directory + 2 > exif.length) return 1;
  const count = view.getUint16(directory, isLittle);
  for (let entry = 0; entry < count; entry += 1) {
    const at = directory + 2 + entry * 12;
    if (at + 12 > exif.length) return 1;
    if (view.getUint16(at, isLittle) !== ORIENTATION) continue;
    const value = view.getUint16(at + 8, isLittle);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

/** Returns an EXIF segment that holds only the orientation, or nothing for a picture that is stored upright. */
function exifOf(orientation: number): Uint8Array[] {
  if (orientation === 1) return [];
  const text = (value: string) => [...value].map((letter) => letter.charCodeAt(0));
  const directory = [0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0];
  const body = [...text("Exif\0\0MM\0*"), 0, 0, 0, 8, ...directory];
  return [Uint8Array.of(0xff, 0xe1, 0, body.length + 2, ...body)];
}
