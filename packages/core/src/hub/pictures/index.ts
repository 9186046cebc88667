import { type Parsed, refused } from "../../faults.ts";
import { cleanJpeg, isJpeg } from "./jpeg.ts";
import { type Cleaned, PICTURE, type PictureFault } from "./picture.ts";
import { cleanPng, isPng } from "./png.ts";
import { cleanWebp, isWebp } from "./webp.ts";

export { PICTURE } from "./picture.ts";

/** A picture as we store it: without metadata and without bytes after its end. */
export interface Picture extends Cleaned {
  mediaType: "image/png" | "image/jpeg" | "image/webp";
}

const FORMATS = [
  { mediaType: "image/png", is: isPng, clean: cleanPng },
  { mediaType: "image/jpeg", is: isJpeg, clean: cleanJpeg },
  { mediaType: "image/webp", is: isWebp, clean: cleanWebp },
] as const;

const MESSAGES: Record<PictureFault, string> = {
  not_a_picture: "must be a PNG, JPEG or WebP",
  cut_off: "ends before the picture does",
  damaged: "does not follow its format",
  animated: "must be one still picture",
  too_big: `must be at most ${PICTURE.side} pixels wide and high`,
};

/** Recognizes a picture by its bytes alone, and removes everything that is not needed to show it. */
export function cleanPicture(bytes: Uint8Array): Parsed<Picture> {
  const format = FORMATS.find(({ is }) => is(bytes));
  const cleaned = format?.clean(bytes) ?? "not_a_picture";
  const fault = typeof cleaned === "string" ? cleaned : sizeFault(cleaned);
  if (format && typeof cleaned !== "string" && fault === null)
    return { ok: true, value: { mediaType: format.mediaType, ...cleaned } };
  const code = fault ?? "not_a_picture";
  return refused([{ path: "", code, message: MESSAGES[code] }]);
}

function sizeFault({ width, height }: Cleaned): PictureFault | null {
  if (width < 1 || height < 1) return "damaged";
  return width > PICTURE.side || height > PICTURE.side ? "too_big" : null;
}
