/** A file to import: its text, and its name without folders. */
export interface TextFile {
  name: string;
  text: string;
}

/** The largest file in bytes: what hub-import takes, with room for the escapes of JSON. */
const FILE_BYTES = 7 * 1024 * 1024;
/** The most files of a zip, and bytes of all of them together. */
const ZIP = { files: 500, bytes: 50 * 1024 * 1024 } as const;

const TEXT = /\.(json|ya?ml|md|mdx|markdown|prompt|txt|csv)$/i;

/** The files that a chosen file stands for: itself, or those in a zip. Throws an Error that says what is wrong with it. */
export async function textFilesOf(file: File): Promise<TextFile[]> {
  const isZip = /\.zip$/i.test(file.name) || (await file.slice(0, 4).text()) === "PK\u0003\u0004";
  if (isZip) return unpack(file);
  if (file.size > FILE_BYTES) throw new Error(`It is larger than ${FILE_BYTES / 1024 / 1024} MB.`);
  return [{ name: file.name, text: textOf(new Uint8Array(await file.arrayBuffer())) }];
}

async function unpack(file: File): Promise<TextFile[]> {
  if (file.size > ZIP.bytes) throw new Error(`It is larger than ${ZIP.bytes / 1024 / 1024} MB.`);
  const { unzipSync } = await import("fflate");
  let [count, bytes] = [0, 0];
  let found: Record<string, Uint8Array>;
  try {
    found = unzipSync(new Uint8Array(await file.arrayBuffer()), {
      // Judged by what the directory of the zip says; unpacking writes no more than that.
      filter: ({ name, originalSize }) => {
        if (!isWanted(name)) return false;
        count += 1;
        bytes += originalSize;
        if (count > ZIP.files) throw new Refused(`It has more than ${ZIP.files} files.`);
        if (bytes > ZIP.bytes) throw new Refused(`It holds more than ${ZIP.bytes / 1024 / 1024} MB.`);
        return originalSize <= FILE_BYTES;
      },
    });
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Error("It is no zip that can be read.", { cause: error });
  }
  const names = ownFilesOf(Object.keys(found));
  if (names.length === 0) throw new Error("It holds no file that could be read.");
  return names.map((name) => ({ name: baseName(name), text: textOf(found[name] ?? new Uint8Array()) }));
}

/** Of a file that is not taken; its message is shown. */
class Refused extends Error {}

/** UTF-8, or UTF-16 that says so; a sign that is none would be lost without a word. */
function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: encoding === "utf-8" }).decode(bytes);
  } catch {
    throw new Refused("It is no text in UTF-8.");
  }
}

/** Folders, pictures, and what the system of the packer has added. */
function isWanted(name: string): boolean {
  return TEXT.test(name) && !name.startsWith("__MACOSX/") && !baseName(name).startsWith(".");
}

/** A skill is its SKILL.md: the other files of its folder are no prompts of their own. */
function ownFilesOf(names: readonly string[]): string[] {
  const folders = names
    .filter((name) => baseName(name) === "SKILL.md")
    .map((name) => name.slice(0, -"SKILL.md".length));
  return names.filter(
    (name) => baseName(name) === "SKILL.md" || !folders.some((folder) => name.startsWith(folder)),
  );
}

const baseName = (name: string) => name.split(/[\\/]/).at(-1) ?? name;
