/** A file to import: its text, and its name without folders. */
export interface TextFile {
  name: string;
  text: string;
}

/** The largest file in bytes. hub-import accepts more, but the file is sent to it as JSON, and the escapes of JSON make the text longer. */
const FILE_BYTES = 7 * 1024 * 1024;
/** The largest number of files in a zip, and the largest number of bytes of all its files together. */
const ZIP = { files: 500, bytes: 50 * 1024 * 1024 } as const;

const TEXT = /\.(json|ya?ml|md|mdx|markdown|prompt|txt|csv)$/i;

/** Returns the chosen file itself, or the files in a zip. Throws an Error with a message for the user. */
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
      // The limits apply to the sizes that the zip states. That is safe, because unpacking never writes more bytes than stated.
      filter: ({ name, originalSize }) => {
        if (!isWanted(name)) return false;
        count += 1;
        bytes += originalSize;
        if (count > ZIP.files) throw new Refused(`It has more than ${ZIP.files} files.`);
        if (bytes > ZIP.bytes)
          throw new Refused(`Its files are together larger than ${ZIP.bytes / 1024 / 1024} MB.`);
        return originalSize <= FILE_BYTES;
      },
    });
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Error("This zip file cannot be read.", { cause: error });
  }
  const names = ownFilesOf(Object.keys(found));
  if (names.length === 0) throw new Error("It contains no file that can be imported.");
  return names.map((name) => ({ name: baseName(name), text: textOf(found[name] ?? new Uint8Array()) }));
}

/** The error for a file that is refused; its message is shown. */
class Refused extends Error {}

/** Decodes UTF-8, or UTF-16 with a byte order mark. It fails for invalid bytes, which would otherwise be lost silently. */
function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: encoding === "utf-8" }).decode(bytes);
  } catch {
    throw new Refused("It is not a text in UTF-8.");
  }
}

/** Returns whether a file in a zip is imported. Folders, hidden files, files of other types, and those that macOS adds are not. */
function isWanted(name: string): boolean {
  return TEXT.test(name) && !name.startsWith("__MACOSX/") && !baseName(name).startsWith(".");
}

/** Leaves out all other files in a folder with a SKILL.md, because they belong to the skill and are not prompts. */
function ownFilesOf(names: readonly string[]): string[] {
  const folders = names
    .filter((name) => baseName(name) === "SKILL.md")
    .map((name) => name.slice(0, -"SKILL.md".length));
  return names.filter(
    (name) => baseName(name) === "SKILL.md" || !folders.some((folder) => name.startsWith(folder)),
  );
}

const baseName = (name: string) => name.split(/[\\/]/).at(-1) ?? name;
