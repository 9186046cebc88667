import { readFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import { cleanPicture, PICTURE } from "../../../packages/core/src/hub/pictures/index.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";

/* The pictures of tests/fixtures/pictures were made by sharp, with EXIF (names, GPS), color profiles and sizes for print. */

const fixture = (name: string) => readFileSync(join(import.meta.dirname, "../../fixtures/pictures", name));
const NAMES = [
  ...["photo.jpg", "rotated.jpg", "photo.png", "palette.png"],
  ...["photo.webp", "lossless.webp", "simple.webp"],
];
const TYPES: Record<string, string> = { jpg: "image/jpeg", png: "image/png", webp: "image/webp" };

const bytesOf = (...parts: (string | number[] | Uint8Array)[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
  );

function cleaned(bytes: Uint8Array) {
  const result = cleanPicture(bytes);
  if (!result.ok) throw new Error(`refused: ${result.faults[0]?.code}`);
  return { ...result.value, text: Buffer.from(result.value.bytes).toString("latin1") };
}

const codeOf = (bytes: Uint8Array) => {
  const result = cleanPicture(bytes);
  return result.ok ? "accepted" : result.faults.map(({ code }) => code).join();
};

/** Returns a picture with changed bytes. */
function changed(name: string, change: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.from(fixture(name));
  change(bytes);
  return bytes;
}

const pngChunk = (name: string, content: Uint8Array) => {
  const named = bytesOf(name, content);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(named));
  return bytesOf(length, named, sum);
};
/** Returns a PNG with this chunk after its header. */
const pngWith = (name: string, content = bytesOf("a note")) => {
  const png = fixture("palette.png");
  return bytesOf(png.subarray(0, 33), pngChunk(name, content), png.subarray(33));
};
const pngHeader = (width: number, height: number, depth = 8, color = 3) => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([depth, color], 8);
  return bytesOf(
    fixture("palette.png").subarray(0, 8),
    pngChunk("IHDR", header),
    fixture("palette.png").subarray(33),
  );
};
const segment = (marker: number, content: string) =>
  bytesOf([0xff, marker, (content.length + 2) >> 8, (content.length + 2) & 255], content);
/** Returns a JPEG with this part after its first two bytes. */
const jpegWith = (part: Uint8Array) =>
  bytesOf(fixture("photo.jpg").subarray(0, 2), part, fixture("photo.jpg").subarray(2));
const riff = (...chunks: Uint8Array[]) => {
  const body = bytesOf("WEBP", ...chunks);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(body.length);
  return bytesOf("RIFF", size, body);
};
const webpChunk = (name: string, content: Uint8Array) => {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(content.length);
  return bytesOf(name, size, content, Buffer.alloc(content.length & 1));
};
const VP8 = fixture("simple.webp").subarray(12);
const vp8x = (flags: number, width = 24, height = 16) =>
  webpChunk("VP8X", Uint8Array.of(flags, 0, 0, 0, width - 1, 0, 0, height - 1, 0, 0));

describe.each(NAMES)("%s", (name) => {
  const original = fixture(name);

  test("is read by its bytes, and keeps nothing of who made it, and where", () => {
    const { mediaType, width, height, text } = cleaned(original);
    expect([mediaType, width, height]).toEqual([TYPES[name.split(".")[1] ?? ""], 24, 16]);
    expect(text).not.toMatch(/SECRET|ICC|pHYs|eXIf|XMP/);
    // These bytes are the EXIF tag that leads to the GPS position.
    expect(text).not.toContain("\x25\x88");
  });

  test("has nothing behind its end", () => {
    const { bytes } = cleaned(bytesOf(original, "PK\x03\x04 a whole archive"));
    expect(bytes).toEqual(cleaned(original).bytes);
  });

  test("is not changed by being cleaned again", () => {
    const { bytes } = cleaned(original);
    expect(cleaned(bytes).bytes).toEqual(bytes);
  });

  test("is refused when it is cut anywhere", () => {
    for (const bytes of [original, cleaned(original).bytes])
      for (let length = 0; length < bytes.length; length += 1)
        expect([length, codeOf(bytes.subarray(0, length))]).not.toContain("accepted");
  });
});

test("the originals do hold what is looked for", () => {
  for (const name of ["photo.jpg", "rotated.jpg", "photo.png", "photo.webp"]) {
    expect(fixture(name).toString("latin1")).toContain("SECRET-ARTIST");
    expect(fixture(name).toString("latin1")).toContain("\x25\x88");
  }
});

test("a JPEG keeps which side is up, in an EXIF of this alone", () => {
  const { text } = cleaned(fixture("rotated.jpg"));
  const exif = "\xff\xe1\0\x22Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
  expect(text.split(exif)).toHaveLength(2);
  expect(cleaned(fixture("photo.jpg")).text).not.toContain("Exif");
});

test.each([
  ["no EXIF", "Exif\0\0"],
  ["an order that there is not", "Exif\0\0XX*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0"],
  ["a directory outside", "Exif\0\0II*\0\xff\xff\xff\x7f\x01\0\x12\x01"],
  ["entries outside", "Exif\0\0II*\0\x08\0\0\0\xff\xff\x13\x01\x03\0\x01\0\0\0\x06\0\0\0"],
  ["no such side", "Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x09\0\0\0"],
])("an EXIF with %s says nothing", (_, exif) => {
  const bare = cleaned(fixture("photo.jpg")).bytes;
  const { text } = cleaned(bytesOf(bare.subarray(0, 2), segment(0xe1, exif), bare.subarray(2)));
  expect(text).toBe(Buffer.from(bare).toString("latin1"));
});

test("comments and what programs add to a JPEG go, how its colors are stored stays", () => {
  const adobe = `Adobe\0\x64\0\0\0\0\x01`;
  const parts = [
    segment(0xfe, "a note"),
    segment(0xe1, "http://ns.adobe.com/xap/1.0/\0a note"),
    segment(0xed, "a note"),
  ];
  const { text } = cleaned(
    jpegWith(bytesOf(...parts, segment(0xee, `${adobe} a note`), segment(0xee, "Ducky"))),
  );
  expect(text).not.toMatch(/a note|Ducky|ns\.adobe/);
  expect(text).toContain(`\xff\xee\0\x0e${adobe}`);
  // A note may also be between two scans.
  const progressive = fixture("rotated.jpg");
  const scan = progressive.lastIndexOf(Buffer.from([0xff, 0xda]));
  const between = bytesOf(progressive.subarray(0, scan), segment(0xfe, "a note"), progressive.subarray(scan));
  expect(cleaned(between).bytes).toEqual(cleaned(progressive).bytes);
});

test("a PNG keeps the chunks that are seen, and no text", () => {
  for (const name of ["tEXt", "zTXt", "iTXt", "eXIf", "tIME", "iCCP", "prVt"])
    expect(cleaned(pngWith(name)).bytes).toEqual(cleaned(fixture("palette.png")).bytes);
  expect(cleaned(pngWith("gAMA", bytesOf([0, 0, 0xb1, 0x8f]))).text).toContain("gAMA");
  // This chunk is longer than a valid gamma, so it is removed.
  expect(cleaned(pngWith("gAMA")).text).not.toContain("gAMA");
});

test("an extended WebP keeps its transparency, and no flag of what has gone", () => {
  const header = Buffer.from(cleaned(fixture("photo.webp")).bytes).subarray(12, 30);
  expect(header.subarray(0, 9)).toEqual(bytesOf("VP8X", [10, 0, 0, 0], [0x10]));
  expect(cleaned(fixture("photo.webp")).text).toContain("ALPH");
  const { text } = cleaned(
    riff(vp8x(0x2c), webpChunk("ICCP", bytesOf("a note")), VP8, webpChunk("XMP ", bytesOf("a note"))),
  );
  expect(text).not.toContain("a note");
});

test.each<[string, string, Uint8Array]>([
  ["nothing", "not_a_picture", bytesOf()],
  ["a text", "not_a_picture", bytesOf("<svg xmlns='http://www.w3.org/2000/svg'/>")],
  ["a GIF", "not_a_picture", bytesOf("GIF89a\x01\0\x01\0\0\0\0;")],
  ["another RIFF", "not_a_picture", bytesOf("RIFF\x04\0\0\0WAVE")],
  ["an animated PNG", "animated", pngWith("acTL", Buffer.alloc(8))],
  ["an animated WebP by its header", "animated", riff(vp8x(2), VP8)],
  ["an animated WebP by its frames", "animated", riff(vp8x(0), webpChunk("ANMF", new Uint8Array(16)))],
  ["a PNG wider than it may be", "too_big", pngHeader(PICTURE.side + 1, 1)],
  ["a PNG of a bomb's size", "too_big", pngHeader(0x7fffffff, 0x7fffffff)],
  ["a PNG without pixels", "damaged", pngHeader(0, 16)],
  ["a PNG of colors that there are not", "damaged", pngHeader(24, 16, 8, 5)],
  ["a PNG of a depth that its colors have not", "damaged", pngHeader(24, 16, 4, 6)],
  ["a PNG with a wrong checksum", "damaged", changed("palette.png", (png) => void png.writeUInt32BE(7, 29))],
  ["a PNG with a chunk that no browser knows", "damaged", pngWith("CgBI")],
  ["a PNG with two headers", "damaged", pngWith("IHDR", Buffer.alloc(13))],
  [
    "a PNG whose pixels never come",
    "damaged",
    bytesOf(fixture("palette.png").subarray(0, 33), pngChunk("IEND", bytesOf())),
  ],
  ["a JPEG without pixels", "damaged", bytesOf([0xff, 0xd8, 0xff, 0xd9])],
  ["a JPEG of arithmetic coding", "damaged", jpegWith(segment(0xc9, "\x08\0\x10\0\x18\x01\x01\x11\0"))],
  ["a JPEG of two frames", "damaged", jpegWith(segment(0xc0, "\x08\0\x10\0\x18\x01\x01\x11\0"))],
  ["a JPEG with a segment of no length", "damaged", jpegWith(Uint8Array.of(0xff, 0xe0, 0, 0))],
  ["a JPEG with something between its segments", "damaged", jpegWith(bytesOf(segment(0xfe, "x"), "text"))],
  ["a WebP whose canvas is another", "damaged", riff(vp8x(0, 25), VP8)],
  ["a WebP whose chunk is longer than it", "damaged", riff(vp8x(0), bytesOf("VP8 \xff\xff\0\0"))],
  ["a WebP whose frame is none", "damaged", riff(webpChunk("VP8 ", new Uint8Array(20)))],
  [
    "a WebP whose header comes late",
    "damaged",
    riff(VP8.subarray(0, 0), webpChunk("ICCP", bytesOf("x")), VP8),
  ],
  [
    "a WebP longer than the file",
    "cut_off",
    changed("simple.webp", (webp) => void webp.writeUInt32LE(9_999, 4)),
  ],
])("%s is refused: %s", (_, code, bytes) => {
  expect(codeOf(bytes)).toBe(code);
});

test("a JPEG and a WebP larger than they may be are refused by what their header says", () => {
  const jpeg = changed("photo.jpg", (bytes) => {
    const frame = bytes.indexOf(Buffer.from([0xff, 0xc0, 0]));
    bytes.writeUInt16BE(PICTURE.side + 1, frame + 5);
  });
  const webp = changed("simple.webp", (bytes) => void bytes.writeUInt16LE(PICTURE.side + 1, 26));
  expect([codeOf(jpeg), codeOf(webp)]).toEqual(["too_big", "too_big"]);
});

test("any bytes are an answer, never an error", () => {
  let state = 1;
  const next = (bound: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % bound;
  };
  for (const name of NAMES)
    for (let round = 0; round < (LONG_TESTS ? 400 : 100); round += 1) {
      const bytes = changed(name, (copy) => {
        for (let n = 0; n < 3; n += 1) copy[next(copy.length)] = next(256);
      });
      expect(() => cleanPicture(bytes)).not.toThrow();
    }
});
